package io.konduit.queue.admin;

/** The number of incidents of one kind, and the outcomes of their tasks. */
public record IncidentCount(
        String type,
        IncidentClassification classification,
        IncidentAction action,
        long incidents,
        long completed,
        long failed,
        long cancelled,
        long open,
        long workerWasAlive) {}
