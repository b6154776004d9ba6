package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.engine.QueueEngine;
import io.konduit.queue.handler.JobHandlerMethod;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.TimeShiftRepository;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What tests of applications rely on: a run that ends where its process could die reports nothing. */
@Tag("Q2")
class HandlerCallTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    static class Jobs {
        @JobHandler("work")
        void work() {}
    }

    /** Dies when the handler has returned; with an error, or, as a handler that catches everything would, without. */
    private record Dying(boolean silently) implements HandlerCall {
        @Override
        public void invoke(JobHandlerMethod handler, String payload, PayloadConverter converter, TaskContext context)
                throws Throwable {
            handler.invoke(payload, converter, context);
            if (!silently) {
                throw new Error("dead");
            }
        }

        @Override
        public boolean hasDied() {
            return true;
        }
    }

    private final Jobs jobs = new Jobs();
    private final TaskQueue queue = harness.queue(jobs);
    private final QueueEngine engine = harness.engine(jobs).build();
    private final TimeShiftRepository time = new TimeShiftRepository(harness.database());

    private CallingThreadRunner.Ran run(HandlerCall call) {
        ClaimedTask task = harness.claimOne(engine.leases());
        return engine.callingThreadRunner()
                .run(task, engine.knownHandlers().find("work").orElseThrow(), call);
    }

    @Test
    void runThatDiesReportsNothing() {
        TaskId id = queue.enqueue("work", null);
        assertThat(run(new Dying(false)).result()).isEqualTo(CallingThreadRunner.Result.DIED);
        harness.assertThatTask(id).isRunning();
        assertThat(queue.find(id).orElseThrow().lastError()).isNull();
        assertThat(harness.events()).isEmpty();
    }

    @Test
    void runThatDiesWithoutAnErrorReportsNothingEither() {
        TaskId id = queue.enqueue("work", null);
        assertThat(run(new Dying(true)).result()).isEqualTo(CallingThreadRunner.Result.DIED);
        harness.assertThatTask(id).isRunning();
    }

    @Test
    void leaseThatIsEndedIsAnOrphanForTheReaper() {
        TaskId id = queue.enqueue("work", null);
        run(new Dying(false));
        assertThat(harness.reclaimer().reclaimOnce().total()).isZero();
        assertThat(time.endLease(id.value(), Duration.ofMinutes(1))).isTrue();
        harness.reclaimer().reclaimOnce();
        harness.assertThatTask(id).isPending();
        assertThat(time.endLease(id.value(), Duration.ZERO))
                .as("it does not run")
                .isFalse();
    }

    @Test
    void leaseOfARowThatATransactionHoldsIsNotEnded() throws Exception {
        TaskId id = queue.enqueue("work", null);
        run(new Dying(false));
        try (var other = harness.testDatabase().locking("select 1 from konduit_task for share")) {
            assertThat(time.endLease(id.value(), Duration.ZERO)).isFalse();
            other.rollback();
        }
        assertThat(time.endLease(id.value(), Duration.ZERO)).isTrue();
    }

    @Test
    void taskThatIsMadeDueComesBeforeAllOthers() {
        queue.enqueue("work", null);
        TaskId later = queue.enqueue(TaskRequest.of("work", null).delay(Duration.ofHours(1)));
        assertThat(time.firstDue()).isNotEqualTo(Optional.of(later.value()));
        assertThat(time.makeDue(later.value())).isTrue();
        assertThat(time.firstDue()).contains(later.value());
        assertThat(harness.claimOne(engine.leases()).id()).isEqualTo(later.value());
    }
}
