/** A PostgreSQL that comes with the sample. Your own application has one already and needs nothing of this. */
@NullMarked
package io.konduit.queue.sample.database;

import org.jspecify.annotations.NullMarked;
