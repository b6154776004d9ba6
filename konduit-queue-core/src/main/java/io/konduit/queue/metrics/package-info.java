/** Internal: the meters of the queue. The only package that needs Micrometer's registry. */
@NullMarked
package io.konduit.queue.metrics;

import org.jspecify.annotations.NullMarked;
