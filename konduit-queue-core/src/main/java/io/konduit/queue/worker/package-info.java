/** Internal: runs this node's worker, from claiming tasks to reporting their outcomes. */
@NullMarked
package io.konduit.queue.worker;

import org.jspecify.annotations.NullMarked;
