/** Internal: decides which instance runs the background chores. */
@NullMarked
package io.konduit.queue.leader;

import org.jspecify.annotations.NullMarked;
