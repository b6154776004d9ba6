package io.konduit.queue.admin;

import java.util.List;

/**
 * The newest tasks by state, queue and type, largest group first.
 *
 * @param examined how many tasks are counted at most, of each state; there may be older ones
 */
public record TaskGroups(List<TaskGroup> groups, int examined) {}
