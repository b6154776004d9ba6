/** Internal: makes the tasks of schedules when they are due. */
@NullMarked
package io.konduit.queue.schedule;

import org.jspecify.annotations.NullMarked;
