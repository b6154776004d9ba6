/** Internal: the statements behind {@code operations} and the meters: what operators read and decide, and what is counted for them. */
@NullMarked
package io.konduit.queue.review;

import org.jspecify.annotations.NullMarked;
