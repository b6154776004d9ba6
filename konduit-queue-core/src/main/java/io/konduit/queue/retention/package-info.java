/** Internal: removes expired rows. */
@NullMarked
package io.konduit.queue.retention;

import org.jspecify.annotations.NullMarked;
