package io.konduit.queue.settings;

/**
 * The limits for payloads.
 *
 * @param maxBytes the size limit of a payload in bytes of JSON
 * @param check whether a payload is read back when it is enqueued, if its handler is part of this application
 */
public record PayloadSettings(long maxBytes, boolean check) {
    private static final long LEAST = 1024;
    private static final long MAX = 10L * 1024 * 1024;

    public PayloadSettings {
        SettingRules.require(
                maxBytes >= LEAST && maxBytes <= MAX,
                "'konduit.queue.max-payload' (%d bytes) must be between 1KB and 10MB. Store larger data elsewhere and send its key."
                        .formatted(maxBytes));
    }

    /** The defaults of the properties. */
    public static PayloadSettings defaults() {
        return new PayloadSettings(Defaults.bytes(Defaults.MAX_PAYLOAD), Defaults.flag(Defaults.CHECK_PAYLOADS));
    }
}
