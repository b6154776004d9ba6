package io.konduit.queue;

/** A payload or checkpoint exceeds the size limit. */
public class PayloadTooLargeException extends InvalidPayloadException {
    private static final long serialVersionUID = 1L;

    public PayloadTooLargeException(String message) {
        super(message);
    }

    public PayloadTooLargeException(String message, Throwable cause) {
        super(message, cause);
    }
}
