/**
 * Internal: detects outages, restarts, clock jumps and failovers of the database, and which commits a failover lost.
 */
@NullMarked
package io.konduit.queue.failover;

import org.jspecify.annotations.NullMarked;
