/** Internal: renders handlers' errors for people and programs: root cause, stack, message. */
@NullMarked
package io.konduit.queue.error;

import org.jspecify.annotations.NullMarked;
