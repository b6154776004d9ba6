/** Public: for tests of applications that use the queue. */
@NullMarked
package io.konduit.queue.testing;

import org.jspecify.annotations.NullMarked;
