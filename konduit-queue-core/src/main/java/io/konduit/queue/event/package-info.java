/** Spring application events of the queue. Published after the commit. */
@NullMarked
package io.konduit.queue.event;

import org.jspecify.annotations.NullMarked;
