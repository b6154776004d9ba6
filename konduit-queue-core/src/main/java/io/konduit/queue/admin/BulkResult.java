package io.konduit.queue.admin;

import io.konduit.queue.TaskStatus;
import java.util.Map;

/**
 * What a bulk action found and did.
 *
 * @param matched tasks that matched when they were read
 * @param byStatus the same by their status
 * @param changed tasks that it changed; none in a dry run
 * @param skipped tasks that matched and were not changed: they were locked, changed in the meantime, or their unique
 *     key was taken. A further call finds those that still match
 * @param more whether the limit ended the call before everything was read
 */
public record BulkResult(long matched, Map<TaskStatus, Long> byStatus, long changed, long skipped, boolean more) {}
