/** Internal: publishes the application events of the queue on a thread of its own. */
@NullMarked
package io.konduit.queue.publish;

import org.jspecify.annotations.NullMarked;
