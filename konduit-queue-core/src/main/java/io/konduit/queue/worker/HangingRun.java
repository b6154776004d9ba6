package io.konduit.queue.worker;

import java.time.Duration;

/**
 * A run that was told to end and is still going.
 *
 * @param task id, type and attempt
 * @param reason why it was told to end
 * @param since how long ago it was told to end
 */
public record HangingRun(String task, String reason, Duration since) {}
