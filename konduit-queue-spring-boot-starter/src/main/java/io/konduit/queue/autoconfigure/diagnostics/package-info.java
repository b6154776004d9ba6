/** Internal: explains failed start-ups to operators. */
@NullMarked
package io.konduit.queue.autoconfigure.diagnostics;

import org.jspecify.annotations.NullMarked;
