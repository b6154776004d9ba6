package io.konduit.queue.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.store.ClaimRequest.Declared;
import io.konduit.queue.store.ClaimedTask;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who decides whether a task runs again after its worker was lost. */
@Tag("L13")
@Tag("L14")
class ReapableTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    QueueFixture recovery;

    static class Jobs {
        @JobHandler(value = "payment", reapable = false)
        void pay() {}

        @JobHandler("report")
        void report() {}
    }

    @BeforeEach
    void setUp() {
        recovery = new QueueFixture(harness.database());
    }

    @ParameterizedTest(name = "handler of {0} here, request says {1}: {2}")
    @CsvSource({
        "payment,      , HELD",
        "payment, true , PENDING",
        "payment, false, HELD",
        "report ,      , PENDING",
        "report , true , PENDING",
        "report , false, HELD",
    })
    void requestOverridesTheHandlerOfItsSender(String type, @Nullable Boolean reapable, String expected) {
        TaskId id = submit(recovery.queue(new Jobs()), type, reapable);
        // the worker's handler, as another version of the application declares it, comes too late
        Declared opposite = new Declared(type, null, null, expected.equals("HELD"));

        assertThat(afterACrash(id, opposite)).isEqualTo(expected);
    }

    @ParameterizedTest(name = "no handler of {0} here, request says {1}: {2}")
    @CsvSource({
        "payment,      , HELD",
        "payment, true , PENDING",
        "payment, false, HELD",
        "report ,      , PENDING",
        "report , true , PENDING",
        "report , false, HELD",
    })
    void handlerOfTheFirstWorkerDecidesForASenderThatHasNone(String type, @Nullable Boolean reapable, String expected) {
        TaskId id = submit(recovery.queue(), type, reapable);
        recovery.assertThatTask(id).isReapable(reapable);

        assertThat(afterACrash(id, new Declared("payment", null, null, false))).isEqualTo(expected);
    }

    private static TaskId submit(TaskQueue queue, String type, @Nullable Boolean reapable) {
        TaskRequest request = TaskRequest.of(type, null);
        return queue.enqueue(reapable == null ? request : request.reapable(reapable));
    }

    private String afterACrash(TaskId id, Declared handler) {
        ClaimedTask task = recovery.claimOne(recovery.newWorker(), handler);
        assertThat(task.id()).isEqualTo(id.value());
        recovery.expire(task, Duration.ofSeconds(1));
        recovery.reclaimer().reclaimOnce();
        return recovery.status(id.value());
    }
}
