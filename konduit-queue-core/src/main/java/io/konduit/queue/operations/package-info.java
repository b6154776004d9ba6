/** Internal: the services behind {@code admin}, which implement what operators see and decide. */
@NullMarked
package io.konduit.queue.operations;

import org.jspecify.annotations.NullMarked;
