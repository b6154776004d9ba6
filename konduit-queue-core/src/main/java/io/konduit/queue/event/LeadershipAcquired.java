package io.konduit.queue.event;

import java.util.UUID;

/** This instance has become the leader and now runs the background chores. */
public record LeadershipAcquired(UUID worker) {}
