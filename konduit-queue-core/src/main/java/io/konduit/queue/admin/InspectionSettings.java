package io.konduit.queue.admin;

import java.time.Duration;

/**
 * What the answers depend on besides the database, as {@code konduit.queue.*} says.
 *
 * @param zombieLimit a task that has lost more workers than this stands out
 * @param isolateAfter a task that has lost this many workers runs alone
 * @param quarantineAfter a task that has lost this many workers is held
 * @param reaperGrace how long after its end a lease is left alone
 * @param reaperInterval how often the reaper runs; zero when it is off
 * @param staleThreshold a worker that has been silent for longer is STALE
 * @param abandonedThreshold a running task without progress for longer is abandoned; zero when none ever is
 */
public record InspectionSettings(
        int zombieLimit,
        int isolateAfter,
        int quarantineAfter,
        Duration reaperGrace,
        Duration reaperInterval,
        Duration staleThreshold,
        Duration abandonedThreshold) {}
