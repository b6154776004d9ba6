package io.konduit.queue.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When a worker that found nothing should look again.
 *
 * @param overdue whether something is due that its last claim could not take
 * @param in until the next task is due, at most zero for one that has become due since that claim; null when there is none
 */
public record NextDue(boolean overdue, @Nullable Duration in) {}
