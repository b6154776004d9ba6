/** Internal: creates and checks the tables of the queue. */
@NullMarked
package io.konduit.queue.schema;

import org.jspecify.annotations.NullMarked;
