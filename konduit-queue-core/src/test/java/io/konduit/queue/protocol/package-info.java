/** The lease protocol without a database: an exhaustive small model of its fence and a seeded simulation of the whole. */
package io.konduit.queue.protocol;
