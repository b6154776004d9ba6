/** Internal: tells Spring's ahead-of-time processing what is accessed by reflection. */
@NullMarked
package io.konduit.queue.aot;

import org.jspecify.annotations.NullMarked;
