/** Internal: the only place that knows tables, and every statement the queue makes. */
@NullMarked
package io.konduit.queue.store;

import org.jspecify.annotations.NullMarked;
