package io.konduit.queue.designmodel;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.designmodel.GuardDesignModel.Result;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Which guard a completion needs, answered by trying every interleaving of {@link GuardDesignModel}.
 *
 * <p>Why each column comes out as it does:
 *
 * <ul>
 *   <li>plain: a late completion meets a row that has been claimed again. Status and owner may be the same as before (the same worker
 *       again), attempts and epoch are not, as long as both only grow.
 *   <li>operator resets attempts: attempts then repeat; nothing ever sets the epoch back.
 *   <li>failover loses the last commit: when that commit was the claim, its epoch and its attempt number are given out a second time.
 *       Another worker has another id, and so has the same worker after a restart, because each start draws a new one: the owner
 *       refuses both. The same process that claims again has the same id and the same epoch: there only its own memory of the older
 *       run helps, the local dedupe.
 * </ul>
 */
@Tag("F1")
class GuardDesignModelTests {
    @ParameterizedTest(name = "{0}, {1}: {2}")
    @CsvSource(textBlock = """
        STATUS_ONLY,        PLAIN,                      violated,      10
        STATUS_ONLY,        OPERATOR_RESETS_ATTEMPTS,   violated,      10
        STATUS_ONLY,        FAILOVER_LOSES_LAST_COMMIT, violated,      10
        LOCKED_BY,          PLAIN,                      violated,      10
        LOCKED_BY,          OPERATOR_RESETS_ATTEMPTS,   violated,      10
        LOCKED_BY,          FAILOVER_LOSES_LAST_COMMIT, violated,      10
        ATTEMPTS,           PLAIN,                      safe,      10_000
        ATTEMPTS,           OPERATOR_RESETS_ATTEMPTS,   violated,      10
        ATTEMPTS,           FAILOVER_LOSES_LAST_COMMIT, violated,      10
        EPOCH,              PLAIN,                      safe,      10_000
        EPOCH,              OPERATOR_RESETS_ATTEMPTS,   safe,     500_000
        EPOCH,              FAILOVER_LOSES_LAST_COMMIT, violated,      10
        EPOCH_OWNER_DEDUPE, PLAIN,                      safe,      10_000
        EPOCH_OWNER_DEDUPE, OPERATOR_RESETS_ATTEMPTS,   safe,     300_000
        EPOCH_OWNER_DEDUPE, FAILOVER_LOSES_LAST_COMMIT, safe,     250_000
        """)
    void guardIsSafeExactlyWhereTheTableSaysSo(
            CompletionGuard guard, ModelScenario scenario, String expected, String leastStates) {
        Result result = GuardDesignModel.explore(guard, scenario);

        assertThat(result.safe() ? "safe" : "violated")
                .as(() -> describe(guard, scenario, result))
                .isEqualTo(expected);
        assertThat(result.states())
                .as("states explored")
                .isGreaterThanOrEqualTo(Integer.parseInt(leastStates.replace("_", "")));
    }

    @Test
    void ownerAloneFailsBecauseTheSameWorkerClaimsAgain() {
        Result result = GuardDesignModel.explore(CompletionGuard.LOCKED_BY, ModelScenario.PLAIN);

        assertThat(result.counterexample())
                .containsExactly(
                        "enqueue",
                        "worker 0 claims as run 0, epoch 1",
                        "lease expires, reclaimed",
                        "worker 0 claims as run 1, epoch 2",
                        "completion of run 0 accepted although run 1 holds the task");
    }

    @Test
    void epochAloneFailsBecauseAFailoverGivesItOutTwice() {
        Result result = GuardDesignModel.explore(CompletionGuard.EPOCH, ModelScenario.FAILOVER_LOSES_LAST_COMMIT);

        assertThat(result.counterexample())
                .containsExactly(
                        "enqueue",
                        "worker 0 claims as run 0, epoch 1",
                        "failover loses 1 commit",
                        "worker 0 claims as run 1, epoch 1",
                        "completion of run 0 accepted although run 1 holds the task");
    }

    @Test
    void fenceHoldsWhenOperatorAndDeeperFailoversComeTogether() {
        Result result = GuardDesignModel.explore(CompletionGuard.EPOCH_OWNER_DEDUPE, ModelScenario.EVERYTHING);

        assertThat(result.safe()).as(() -> result.counterexample().toString()).isTrue();
        assertThat(result.states()).isGreaterThan(100_000);
    }

    @Test
    void ownerDoesNotReplaceTheLocalDedupe() {
        Result result = GuardDesignModel.explore(CompletionGuard.EPOCH_OWNER, ModelScenario.FAILOVER_LOSES_LAST_COMMIT);

        assertThat(result.safe()).isFalse();
    }

    /** The memory ends with the process, so an id that outlives it brings the reused epoch back. */
    @Test
    void workerIdMustBeNewAtEachStart() {
        Result result =
                GuardDesignModel.explore(CompletionGuard.EPOCH_NAME_DEDUPE, ModelScenario.FAILOVER_LOSES_LAST_COMMIT);

        assertThat(result.safe()).isFalse();
        assertThat(result.counterexample()).contains("worker 0 starts again as 3");
    }

    /**
     * The limit of the local dedupe: between the commit of a claim and the arrival of its reply the worker does not know yet that it
     * should drop the older run. Leaving the worker's own runs out of the claim closes the gap; without a failover there is none.
     */
    @Test
    void dedupeMustNotWaitForTheReplyOfTheClaim() {
        Result onReply = GuardDesignModel.explore(
                CompletionGuard.EPOCH_OWNER_DEDUPE_ON_REPLY, ModelScenario.FAILOVER_LOSES_LAST_COMMIT);
        Result onReplyWithoutFailover =
                GuardDesignModel.explore(CompletionGuard.EPOCH_OWNER_DEDUPE_ON_REPLY, ModelScenario.PLAIN);
        Result skippingOwn =
                GuardDesignModel.explore(CompletionGuard.EPOCH_OWNER_CLAIM_SKIPS_OWN, ModelScenario.EVERYTHING);

        assertThat(onReply.safe()).isFalse();
        assertThat(onReplyWithoutFailover.safe()).isTrue();
        assertThat(skippingOwn.safe())
                .as(() -> skippingOwn.counterexample().toString())
                .isTrue();
        assertThat(skippingOwn.states()).isGreaterThan(500_000);
    }

    private static String describe(CompletionGuard guard, ModelScenario scenario, Result result) {
        return "%s in %s after %d states: %s"
                .formatted(guard, scenario, result.states(), result.safe() ? "no violation" : result.counterexample());
    }
}
