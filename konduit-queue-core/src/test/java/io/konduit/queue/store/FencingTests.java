package io.konduit.queue.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** I3: a worker without the current lease changes nothing, whatever it tries and however it lost the lease. */
class FencingTests {
    private static final Duration LEASE = Duration.ofMinutes(5);

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final TaskQueue queue = harness.queue();

    /** Everything a worker can do with a lease; true when it was accepted. */
    enum Write {
        COMPLETE {
            @Override
            boolean attempt(LeaseRepository worker, Lease lease) {
                return worker.complete(List.of(lease)).contains(lease);
            }
        },
        COMPLETE_IN_TRANSACTION {
            @Override
            boolean attempt(LeaseRepository worker, Lease lease) {
                return inTransaction(() -> worker.completeInTransaction(lease));
            }
        },
        FAIL {
            @Override
            boolean attempt(LeaseRepository worker, Lease lease) {
                return fail(worker, lease, false) != FailureResult.LOST;
            }
        },
        FAIL_FOR_GOOD {
            @Override
            boolean attempt(LeaseRepository worker, Lease lease) {
                return fail(worker, lease, true) != FailureResult.LOST;
            }
        },
        GIVE_BACK {
            @Override
            boolean attempt(LeaseRepository worker, Lease lease) {
                return worker.giveBack(List.of(lease), Duration.ZERO).contains(lease);
            }
        },
        EXTEND {
            @Override
            boolean attempt(LeaseRepository worker, Lease lease) {
                return worker.extend(Map.of(lease, LEASE)).get(lease) != ExtensionResult.LOST;
            }
        },
        CHECKPOINT {
            @Override
            boolean attempt(LeaseRepository worker, Lease lease) {
                return worker.checkpoint(lease, LEASE, "{}");
            }
        },
        GUARD {
            @Override
            boolean attempt(LeaseRepository worker, Lease lease) {
                return inTransaction(() -> worker.guardInTransaction(lease));
            }
        },
        EXTEND_IN_TRANSACTION {
            @Override
            boolean attempt(LeaseRepository worker, Lease lease) {
                return inTransaction(() -> worker.extendInTransaction(lease, LEASE));
            }
        },
        LOOK {
            @Override
            boolean attempt(LeaseRepository worker, Lease lease) {
                return worker.isHeld(lease);
            }
        };

        abstract boolean attempt(LeaseRepository worker, Lease lease);

        private static boolean inTransaction(java.util.function.BooleanSupplier work) {
            return Boolean.TRUE.equals(harness.transaction().execute(status -> work.getAsBoolean()));
        }

        private static FailureResult fail(LeaseRepository worker, Lease lease, boolean fatal) {
            return worker.fail(List.of(new Failure(lease, fatal, Duration.ZERO, "late")))
                    .get(lease);
        }
    }

    /** How a lease comes to be lost. */
    enum Loss {
        TAKEN_BACK {
            @Override
            void happen(LeaseRepository worker, Lease lease) {
                harness.takeBack(lease.taskId());
            }
        },
        RUNNING_ELSEWHERE {
            @Override
            void happen(LeaseRepository worker, Lease lease) {
                harness.takeBack(lease.taskId());
                harness.claimOne(harness.newWorker());
            }
        },
        RUNNING_HERE_AGAIN {
            @Override
            void happen(LeaseRepository worker, Lease lease) {
                harness.takeBack(lease.taskId());
                harness.claimOne(worker);
            }
        },
        HELD {
            @Override
            void happen(LeaseRepository worker, Lease lease) {
                harness.hold(lease.taskId());
            }
        },
        COMPLETED_ELSEWHERE {
            @Override
            void happen(LeaseRepository worker, Lease lease) {
                harness.takeBack(lease.taskId());
                LeaseRepository other = harness.newWorker();
                other.complete(List.of(harness.claimOne(other).lease()));
            }
        },
        COMPLETED_HERE_BY_A_LATER_RUN {
            @Override
            void happen(LeaseRepository worker, Lease lease) {
                harness.takeBack(lease.taskId());
                worker.complete(List.of(harness.claimOne(worker).lease()));
            }
        },
        FAILED_ELSEWHERE {
            @Override
            void happen(LeaseRepository worker, Lease lease) {
                harness.takeBack(lease.taskId());
                LeaseRepository other = harness.newWorker();
                other.fail(List.of(new Failure(harness.claimOne(other).lease(), true, Duration.ZERO, "x")));
            }
        },
        CANCELLED {
            @Override
            void happen(LeaseRepository worker, Lease lease) {
                assertThat(harness.tasks().cancel(TaskId.of(lease.taskId()), "Ada", null))
                        .isTrue();
            }
        };

        abstract void happen(LeaseRepository worker, Lease lease);
    }

    static Stream<Arguments> lateWrites() {
        return Arrays.stream(Loss.values())
                .flatMap(loss -> Arrays.stream(Write.values()).map(write -> Arguments.of(loss, write)));
    }

    @ParameterizedTest
    @MethodSource("lateWrites")
    @Tag("F1")
    @Tag("I3")
    void lateWriteIsRefusedAndChangesNothing(Loss loss, Write write) {
        queue.enqueue("mail", "Ada");
        LeaseRepository worker = harness.newWorker();
        Lease lease = harness.claimOne(worker).lease();
        loss.happen(worker, lease);
        String before = harness.wholeRow(lease.taskId());

        assertThat(write.attempt(worker, lease)).isFalse();

        assertThat(harness.wholeRow(lease.taskId())).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(Write.class)
    @Tag("F1")
    @Tag("I3")
    void leaseInAnotherWorkersHandsIsWorthNothing(Write write) {
        queue.enqueue("mail", "Ada");
        Lease lease = harness.claimOne(harness.newWorker()).lease();
        String before = harness.wholeRow(lease.taskId());
        assertThat(write.attempt(harness.newWorker(), lease)).isFalse();
        assertThat(harness.wholeRow(lease.taskId())).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(Write.class)
    @Tag("F1")
    void leaseOfAnotherEpochIsWorthNothing(Write write) {
        queue.enqueue("mail", "Ada");
        LeaseRepository worker = harness.newWorker();
        Lease lease = harness.claimOne(worker).lease();
        String before = harness.wholeRow(lease.taskId());
        assertThat(write.attempt(worker, new Lease(lease.taskId(), lease.epoch() + 1, 0)))
                .isFalse();
        assertThat(harness.wholeRow(lease.taskId())).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(Write.class)
    void currentLeaseIsAcceptedAlsoWhenItHasExpired(Write write) {
        queue.enqueue("mail", "Ada");
        LeaseRepository worker = harness.newWorker();
        Lease lease = harness.claimOne(worker).lease();
        harness.expireLease(lease.taskId(), Duration.ofHours(1));
        assertThat(write.attempt(worker, lease)).isTrue();
    }

    @Test
    @Tag("F1")
    void inABatchOnlyTheLostOnesAreRefused() {
        LeaseRepository worker = harness.newWorker();
        for (int i = 0; i < 4; i++) {
            queue.enqueue("mail", i);
        }
        List<Lease> leases =
                harness.claim(worker, 4).stream().map(ClaimedTask::lease).toList();
        harness.takeBack(leases.get(1).taskId());
        harness.tasks().cancel(TaskId.of(leases.get(2).taskId()), "Ada", null);
        assertThat(worker.complete(leases)).containsExactlyInAnyOrder(leases.get(0), leases.get(3));
        assertThat(leases.stream().map(lease -> harness.status(TaskId.of(lease.taskId()))))
                .containsExactly("COMPLETED", "PENDING", "CANCELLED", "COMPLETED");
    }

    @Test
    void failureLeavesTheDecisionToTheRow() {
        TaskId id = queue.enqueue(io.konduit.queue.TaskRequest.of("mail", 1).maxAttempts(2));
        LeaseRepository worker = harness.newWorker();
        Lease first = harness.claimOne(worker).lease();
        assertThat(worker.fail(List.of(new Failure(first, false, Duration.ofHours(1), "first")))
                        .get(first))
                .isEqualTo(FailureResult.RETRY);
        assertThat(harness.column(id.value(), "run_at > clock_timestamp() + interval '59 min'", Boolean.class))
                .isTrue();
        harness.makeDue(id.value());
        Lease second = harness.claimOne(worker).lease();
        assertThat(worker.fail(List.of(new Failure(second, false, Duration.ofHours(1), "second")))
                        .get(second))
                .isEqualTo(FailureResult.FINAL);
        assertThat(harness.status(id)).isEqualTo("FAILED");
        assertThat(harness.column(id.value(), "last_error", String.class)).isEqualTo("second");
    }

    @Test
    @Tag("S8")
    @Tag("T9")
    @Tag("I4")
    void givingBackDoesNotChargeTheAttempt() {
        TaskId id = queue.enqueue(io.konduit.queue.TaskRequest.of("mail", 1).maxAttempts(2));
        LeaseRepository worker = harness.newWorker();
        worker.giveBack(List.of(harness.claimOne(worker).lease()), Duration.ZERO);
        assertThat(harness.column(id.value(), "max_attempts - attempts", Integer.class))
                .isEqualTo(2);
        ClaimedTask again = harness.claimOne(worker);
        assertThat(again.attempt()).as("it was neither tried nor charged").isEqualTo(1);
        worker.giveBack(List.of(again.lease()), Duration.ofHours(1));
        assertThat(harness.claim(worker, 1)).isEmpty();
    }
}
