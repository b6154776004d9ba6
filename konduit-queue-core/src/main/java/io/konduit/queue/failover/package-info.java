/** Internal: notices that the database has lost commits, and says which tasks are gone with them. */
@NullMarked
package io.konduit.queue.failover;

import org.jspecify.annotations.NullMarked;
