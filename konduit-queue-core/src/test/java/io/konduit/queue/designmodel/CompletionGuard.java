package io.konduit.queue.designmodel;

import io.konduit.queue.designmodel.ModelState.Row;
import io.konduit.queue.designmodel.ModelState.Run;

/** What a completion must match on the row, and what a worker does about older runs of a task that it claims again. */
enum CompletionGuard {
    /** Any RUNNING row will do: the result of any earlier run is taken for that of the current one. */
    STATUS_ONLY(Dedupe.NONE) {
        @Override
        boolean matches(Row row, Run run) {
            return true;
        }
    },

    /** The owner alone: fails as soon as the same worker claims the task again. */
    LOCKED_BY(Dedupe.NONE) {
        @Override
        boolean matches(Row row, Run run) {
            return row.owner() == run.owner();
        }
    },

    /** The attempt number: a fencing token only as long as nobody resets it. */
    ATTEMPTS(Dedupe.NONE) {
        @Override
        boolean matches(Row row, Run run) {
            return row.attempts() == run.attempts();
        }
    },

    /** The epoch alone: never reset, but given out twice when a failover forgets the claim that took it. */
    EPOCH(Dedupe.NONE) {
        @Override
        boolean matches(Row row, Run run) {
            return row.epoch() == run.epoch();
        }
    },

    /**
     * The real fence. An epoch given out twice goes either to two workers, whose ids differ because each start draws a new one, or to
     * one worker twice, which then remembers the older run and drops it.
     */
    EPOCH_OWNER_DEDUPE(Dedupe.WHEN_CLAIM_COMMITS) {
        @Override
        boolean matches(Row row, Run run) {
            return row.epoch() == run.epoch() && row.owner() == run.owner();
        }
    },

    /** The real fence without its memory. */
    EPOCH_OWNER(Dedupe.NONE) {
        @Override
        boolean matches(Row row, Run run) {
            return EPOCH_OWNER_DEDUPE.matches(row, run);
        }
    },

    /** The real fence with an id that outlives a restart, while the memory does not. */
    EPOCH_NAME_DEDUPE(Dedupe.WHEN_CLAIM_COMMITS) {
        @Override
        boolean matches(Row row, Run run) {
            return row.epoch() == run.epoch()
                    && GuardDesignModel.name(row.owner()) == GuardDesignModel.name(run.owner());
        }
    },

    /** The real fence, but the worker hears of its claim some time after the commit and reports the older run meanwhile. */
    EPOCH_OWNER_DEDUPE_ON_REPLY(Dedupe.WHEN_REPLY_ARRIVES) {
        @Override
        boolean matches(Row row, Run run) {
            return EPOCH_OWNER_DEDUPE.matches(row, run);
        }
    },

    /** The real fence, where a claim leaves out the tasks of which this worker still has a run. */
    EPOCH_OWNER_CLAIM_SKIPS_OWN(Dedupe.BEFORE_CLAIM) {
        @Override
        boolean matches(Row row, Run run) {
            return EPOCH_OWNER_DEDUPE.matches(row, run);
        }
    };

    /** When a worker that claims a task gives up the older run that it still has of it. */
    enum Dedupe {
        NONE,
        WHEN_CLAIM_COMMITS,
        WHEN_REPLY_ARRIVES,
        BEFORE_CLAIM
    }

    private final Dedupe dedupe;

    CompletionGuard(Dedupe dedupe) {
        this.dedupe = dedupe;
    }

    Dedupe dedupe() {
        return dedupe;
    }

    /** Whether a RUNNING row accepts the completion of this run. */
    abstract boolean matches(Row row, Run run);
}
