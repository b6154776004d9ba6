/** Internal: checks requests, stores them in the caller's transaction and wakes workers after its commit. */
@NullMarked
package io.konduit.queue.enqueue;

import org.jspecify.annotations.NullMarked;
