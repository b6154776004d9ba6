package io.konduit.queue.admin;

/** What an operator did to a queue. */
public enum QueueAction {
    PAUSED,
    RESUMED
}
