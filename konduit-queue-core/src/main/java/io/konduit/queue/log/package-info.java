/** Internal: limits how often the same line is logged. */
@NullMarked
package io.konduit.queue.log;

import org.jspecify.annotations.NullMarked;
