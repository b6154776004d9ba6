/** A real PostgreSQL for the tests of this build, and the trigger that rejects every transition the design does not allow. */
@NullMarked
package io.konduit.queue.test;

import org.jspecify.annotations.NullMarked;
