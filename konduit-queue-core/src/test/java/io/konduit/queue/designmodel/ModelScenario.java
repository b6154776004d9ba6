package io.konduit.queue.designmodel;

/** What happens in the model besides claims, completions, restarts and reclaims. */
enum ModelScenario {
    PLAIN(6, false, 0),
    OPERATOR_RESETS_ATTEMPTS(6, true, 0),
    FAILOVER_LOSES_LAST_COMMIT(6, false, 1),

    /** Not in the table: the operator, and failovers that lose up to two commits; fewer claims, to stay within seconds. */
    EVERYTHING(4, true, 2);

    private final int claims;
    private final boolean resetsAttempts;
    private final int commitsLost;

    ModelScenario(int claims, boolean resetsAttempts, int commitsLost) {
        this.claims = claims;
        this.resetsAttempts = resetsAttempts;
        this.commitsLost = commitsLost;
    }

    int claims() {
        return claims;
    }

    boolean resetsAttempts() {
        return resetsAttempts;
    }

    /** How many of the newest commits one failover can lose. */
    int commitsLost() {
        return commitsLost;
    }
}
