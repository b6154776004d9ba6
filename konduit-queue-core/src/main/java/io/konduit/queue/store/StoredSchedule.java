package io.konduit.queue.store;

import io.konduit.queue.ScheduleInfo;
import java.time.Instant;

/**
 * A schedule as a statement has read it.
 *
 * @param now the database's time
 */
public record StoredSchedule(ScheduleInfo info, long version, Instant now) {}
