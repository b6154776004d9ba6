package io.konduit.queue.worker;

import java.time.Duration;

/**
 * A run that was told to end and has not.
 *
 * @param task id, type and attempt
 * @param reason why it was told
 * @param since how long ago it was told
 */
public record HangingRun(String task, String reason, Duration since) {}
