package io.konduit.queue.simulation;

/**
 * What a simulated handler does.
 *
 * @param steps one letter for each: {@code s} sleeps, {@code c} writes a checkpoint, {@code g} writes an effect in a
 *     transaction of its own, {@code k} writes a checkpoint and an effect in one and sleeps before its commit
 * @param millis how long it sleeps in each step
 * @param failures how many attempts fail
 * @param fatal whether a failure is not to be retried
 * @param snoozes how many runs are snoozed
 * @param deaf whether it goes on when it is interrupted
 */
record Work(String steps, int millis, int failures, boolean fatal, int snoozes, boolean deaf) {}
