/** The Actuator endpoint {@code konduitqueue}: what operators see and do while the application runs. */
@NullMarked
package io.konduit.queue.autoconfigure.endpoint;

import org.jspecify.annotations.NullMarked;
