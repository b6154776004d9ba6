/** Internal: what a failed start says to the person who reads it. */
@NullMarked
package io.konduit.queue.autoconfigure.diagnostics;

import org.jspecify.annotations.NullMarked;
