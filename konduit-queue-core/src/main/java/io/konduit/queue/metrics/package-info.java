/** Internal: the meters of the queue. Needs Micrometer; nothing else does. */
@NullMarked
package io.konduit.queue.metrics;

import org.jspecify.annotations.NullMarked;
