/** Errors of handlers as people and programs see them: root cause, stack, message. Internal. */
@NullMarked
package io.konduit.queue.error;

import org.jspecify.annotations.NullMarked;
