package io.konduit.queue.settings;

/**
 * The limits for payloads.
 *
 * @param maxBytes the size limit of a payload in bytes of JSON
 * @param check whether a payload is read back when it is enqueued, if its handler is part of this application
 */
public record PayloadSettings(long maxBytes, boolean check) {
    private static final long LEAST = 1024;

    /** The largest limit, as messages have it. */
    public static final String LARGEST = "10MB";

    private static final long MAX = Defaults.bytes(LARGEST);

    public PayloadSettings {
        SettingRules.require(
                maxBytes >= LEAST && maxBytes <= MAX,
                ("'" + PropertyNames.MAX_PAYLOAD + "' (%d bytes) must be between 1KB and " + LARGEST
                                + ". Store larger data elsewhere and send its key.")
                        .formatted(maxBytes));
    }

    /** The defaults of the properties. */
    public static PayloadSettings defaults() {
        return new PayloadSettings(Defaults.bytes(Defaults.MAX_PAYLOAD), Defaults.flag(Defaults.CHECK_PAYLOADS));
    }
}
