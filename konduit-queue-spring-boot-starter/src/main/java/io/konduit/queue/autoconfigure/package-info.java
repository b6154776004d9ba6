/** Wires the queue into a Spring Boot application; every bean backs off when the application has its own. */
@NullMarked
package io.konduit.queue.autoconfigure;

import org.jspecify.annotations.NullMarked;
