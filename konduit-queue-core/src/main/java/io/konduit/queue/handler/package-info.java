/** Internal: finds and calls the application's handler methods. */
@NullMarked
package io.konduit.queue.handler;

import org.jspecify.annotations.NullMarked;
