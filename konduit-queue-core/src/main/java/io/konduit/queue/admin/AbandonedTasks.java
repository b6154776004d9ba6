package io.konduit.queue.admin;

import java.util.List;

/**
 * The dry run of cleaning up abandoned leases.
 *
 * @param count how many tasks it would take from their workers
 * @param first the first of them, by id
 */
public record AbandonedTasks(long count, List<Orphan> first) {}
