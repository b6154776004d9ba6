/** Internal: reclaims the tasks of lost workers. */
@NullMarked
package io.konduit.queue.recovery;

import org.jspecify.annotations.NullMarked;
