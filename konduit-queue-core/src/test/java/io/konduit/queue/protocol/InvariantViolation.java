package io.konduit.queue.protocol;

/** The simulation reached a state that the protocol forbids. */
final class InvariantViolation extends RuntimeException {
    private final String invariant;

    InvariantViolation(String invariant, String message) {
        super(invariant + ": " + message, null, false, false);
        this.invariant = invariant;
    }

    String invariant() {
        return invariant;
    }
}
