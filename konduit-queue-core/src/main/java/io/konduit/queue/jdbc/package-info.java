/** Internal: connections, transactions and statements. Knows the database, but no table. */
@NullMarked
package io.konduit.queue.jdbc;

import org.jspecify.annotations.NullMarked;
