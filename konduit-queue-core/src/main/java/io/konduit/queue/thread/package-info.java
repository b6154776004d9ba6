/** Internal: the threads of the queue. */
@NullMarked
package io.konduit.queue.thread;

import org.jspecify.annotations.NullMarked;
