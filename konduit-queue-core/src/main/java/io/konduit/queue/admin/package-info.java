/** The API for operators: what an application's pages and tools can show and decide. Depends on nothing internal. */
@NullMarked
package io.konduit.queue.admin;

import org.jspecify.annotations.NullMarked;
