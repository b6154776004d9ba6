/**
 * Internal: the settings with their defaults and rules, and the rules for names and limits that requests and handlers
 * share.
 */
@NullMarked
package io.konduit.queue.settings;

import org.jspecify.annotations.NullMarked;
