package io.konduit.queue;

/** Settings that cannot work together: the message names the properties, their values and the rule. */
public class InvalidSettingsException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    public InvalidSettingsException(String message) {
        super(message);
    }

    public InvalidSettingsException(String message, Throwable cause) {
        super(message, cause);
    }
}
