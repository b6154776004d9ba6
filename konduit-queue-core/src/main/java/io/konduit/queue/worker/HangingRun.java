package io.konduit.queue.worker;

import java.time.Duration;

/**
 * A run that was asked to end and is still running.
 *
 * @param task id, type and attempt
 * @param reason why it was asked to end
 * @param since how long ago it was asked to end
 */
public record HangingRun(String task, String reason, Duration since) {}
