package io.konduit.queue;

/** A setting is invalid, or two settings contradict each other. The message names the properties, their values and the rule. */
public class InvalidSettingsException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    public InvalidSettingsException(String message) {
        super(message);
    }

    public InvalidSettingsException(String message, Throwable cause) {
        super(message, cause);
    }
}
