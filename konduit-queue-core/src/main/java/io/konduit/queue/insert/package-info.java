/** Internal: stores new tasks, one, many, or in a batch shared by concurrent callers. */
@NullMarked
package io.konduit.queue.insert;

import org.jspecify.annotations.NullMarked;
