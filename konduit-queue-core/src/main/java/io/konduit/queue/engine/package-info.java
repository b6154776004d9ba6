/** Internal: composes the queue from its parts, without Spring Boot and without starting anything. */
@NullMarked
package io.konduit.queue.engine;

import org.jspecify.annotations.NullMarked;
