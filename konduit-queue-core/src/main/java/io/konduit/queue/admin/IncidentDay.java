package io.konduit.queue.admin;

import java.time.Instant;

/**
 * The incidents of one kind on one day in UTC.
 *
 * @param day when it began
 * @param cut whether there were more incidents on this day than are counted
 */
public record IncidentDay(Instant day, IncidentClassification classification, long incidents, boolean cut) {}
