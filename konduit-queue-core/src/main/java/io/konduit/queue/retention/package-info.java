/** Internal: removes what has been kept long enough. */
@NullMarked
package io.konduit.queue.retention;

import org.jspecify.annotations.NullMarked;
