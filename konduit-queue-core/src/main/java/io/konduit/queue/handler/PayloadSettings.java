package io.konduit.queue.handler;

import io.konduit.queue.InvalidSettingsException;

/**
 * What payloads may be.
 *
 * @param maxBytes the most bytes of JSON that a payload may have
 * @param check whether a payload is read back when it is enqueued, if its handler is part of this application
 */
public record PayloadSettings(long maxBytes, boolean check) {
    private static final long LEAST = 1024;
    private static final long MOST = 10L * 1024 * 1024;

    public PayloadSettings {
        if (maxBytes < LEAST || maxBytes > MOST) {
            throw new InvalidSettingsException(
                    "'konduit.queue.max-payload' (%d bytes) must be between 1KB and 10MB. Store larger data elsewhere and send its key."
                            .formatted(maxBytes));
        }
    }

    /** Up to 256 KiB, not read back. */
    public static PayloadSettings defaults() {
        return new PayloadSettings(PayloadConverter.MAX_BYTES, false);
    }
}
