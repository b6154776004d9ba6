/** Internal: enqueueing and running a task as Micrometer observations, which become timers and one trace. */
@NullMarked
package io.konduit.queue.observation;

import org.jspecify.annotations.NullMarked;
