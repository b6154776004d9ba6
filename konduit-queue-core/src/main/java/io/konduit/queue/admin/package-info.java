/** What operators see and decide: an API for pages and tools of an application. It depends on nothing internal. */
@NullMarked
package io.konduit.queue.admin;

import org.jspecify.annotations.NullMarked;
