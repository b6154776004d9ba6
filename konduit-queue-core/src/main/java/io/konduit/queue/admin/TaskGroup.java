package io.konduit.queue.admin;

import io.konduit.queue.TaskStatus;

/** How many of the newest tasks have this state, queue and type. */
public record TaskGroup(TaskStatus status, String queue, String type, long tasks) {}
