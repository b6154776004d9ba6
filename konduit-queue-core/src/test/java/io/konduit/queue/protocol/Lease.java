package io.konduit.queue.protocol;

/** The right to run a task, as its worker holds it. {@code run} is the number of the claim and known to the invariants alone. */
record Lease(int task, long epoch, long owner, long run) {
    /** The answer to an extension. */
    enum Extension {
        EXTENDED,
        LOST,
        BUSY
    }

    /** The answer to a report. */
    enum Settlement {
        APPLIED,
        ALREADY_APPLIED,
        LOST
    }

    @Override
    public String toString() {
        return "run " + run + " (task " + task + ", epoch " + epoch + ")";
    }
}
