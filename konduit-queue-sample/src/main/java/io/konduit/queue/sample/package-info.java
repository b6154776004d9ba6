/** A small shop that shows what the queue is good at: one controller and one handler for each story. */
@NullMarked
package io.konduit.queue.sample;

import org.jspecify.annotations.NullMarked;
