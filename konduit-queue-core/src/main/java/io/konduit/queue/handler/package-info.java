/** Internal: finds the handler methods of the application and calls them. */
@NullMarked
package io.konduit.queue.handler;

import org.jspecify.annotations.NullMarked;
