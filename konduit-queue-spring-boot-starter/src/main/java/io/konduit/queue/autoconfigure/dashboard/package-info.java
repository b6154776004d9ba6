/** The dashboard: pages for operators, served by the application itself. */
@NullMarked
package io.konduit.queue.autoconfigure.dashboard;

import org.jspecify.annotations.NullMarked;
