/** Internal: publishes the application events of the queue. */
@NullMarked
package io.konduit.queue.event;

import org.jspecify.annotations.NullMarked;
