/** Internal: this node at work, from claiming tasks to reporting what became of them. */
@NullMarked
package io.konduit.queue.worker;

import org.jspecify.annotations.NullMarked;
