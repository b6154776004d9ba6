/**
 * Everything an application imports: enqueue with {@link io.konduit.queue.TaskQueue}, handle with
 * {@link io.konduit.queue.JobHandler}.
 */
@NullMarked
package io.konduit.queue;

import org.jspecify.annotations.NullMarked;
