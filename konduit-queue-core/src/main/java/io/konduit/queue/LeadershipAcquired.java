package io.konduit.queue;

import java.util.UUID;

/** This instance runs the background chores now. */
public record LeadershipAcquired(UUID worker) {}
