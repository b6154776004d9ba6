package io.konduit.queue;

import java.util.UUID;

/** This instance does not run the background chores any more. */
public record LeadershipLost(UUID worker) {}
