/** The health of the queue: whether the work of crashed workers comes back. */
@NullMarked
package io.konduit.queue.autoconfigure.health;

import org.jspecify.annotations.NullMarked;
