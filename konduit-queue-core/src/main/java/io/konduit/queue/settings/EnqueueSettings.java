package io.konduit.queue.settings;

/**
 * How tasks are enqueued.
 *
 * @param rejectUnknownTypes whether a type without a handler in this application is an error
 * @param groupEnqueues whether concurrent enqueues outside transactions share a commit
 */
public record EnqueueSettings(boolean rejectUnknownTypes, boolean groupEnqueues) {

    /** The defaults of the properties. */
    public static EnqueueSettings defaults() {
        return new EnqueueSettings(
                Defaults.flag(Defaults.REJECT_UNKNOWN_TYPES), Defaults.flag(Defaults.GROUP_ENQUEUES));
    }
}
