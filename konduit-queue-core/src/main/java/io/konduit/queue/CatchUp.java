package io.konduit.queue;

/** What a schedule does about the times that it has missed. */
public enum CatchUp {
    /** The newest missed time fires, earlier ones are dropped. */
    LATEST,
    /**
     * Every missed time fires, up to {@code konduit.queue.schedules.max-catch-up} of them; earlier ones are dropped.
     * Their tasks may run at the same time, so it needs {@link Overlap#ALLOW}.
     */
    ALL,
    /** Nothing fires that is more than a minute late. */
    NONE
}
