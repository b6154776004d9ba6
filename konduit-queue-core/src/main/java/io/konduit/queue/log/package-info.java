/** Internal: what is said once, however often it happens. */
@NullMarked
package io.konduit.queue.log;

import org.jspecify.annotations.NullMarked;
