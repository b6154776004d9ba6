/** What operators do: look at the review inbox and the evidence, and decide. */
@NullMarked
package io.konduit.queue.admin;

import org.jspecify.annotations.NullMarked;
