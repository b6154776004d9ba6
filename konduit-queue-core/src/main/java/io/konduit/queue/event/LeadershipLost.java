package io.konduit.queue.event;

import java.util.UUID;

/** This instance is no longer the leader and no longer runs the background chores. */
public record LeadershipLost(UUID worker) {}
