/** Wires the meters of the queue. */
@NullMarked
package io.konduit.queue.autoconfigure.metrics;

import org.jspecify.annotations.NullMarked;
