/** A PostgreSQL that comes with the sample. An application of your own has one already and needs nothing of this. */
@NullMarked
package io.konduit.queue.sample.database;

import org.jspecify.annotations.NullMarked;
