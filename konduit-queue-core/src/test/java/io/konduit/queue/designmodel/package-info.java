/**
 * A design model, not a test of the code: an exhaustive search that shows which guard a completion needs. It contains no
 * production class. {@code io.konduit.queue.simulation} runs the real code.
 */
package io.konduit.queue.designmodel;
