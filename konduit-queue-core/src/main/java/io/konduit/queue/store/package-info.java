/** Internal: the only package that knows the tables, and the home of nearly every statement of the queue. */
@NullMarked
package io.konduit.queue.store;

import org.jspecify.annotations.NullMarked;
