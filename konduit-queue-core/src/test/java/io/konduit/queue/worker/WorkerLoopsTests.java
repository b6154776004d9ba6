package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.With;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Health has to know whether each loop of a worker lives. */
@Timeout(30)
class WorkerLoopsTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    static class Mail {
        final AtomicInteger runs = new AtomicInteger();

        @JobHandler("mail")
        void send() {
            if (runs.incrementAndGet() == 1) {
                throw new OutOfMemoryError("of the test");
            }
        }
    }

    @Test
    void everyLoopIsNamedAndWell() {
        WorkerLifecycle worker = harness.startWorker(With.all(With.concurrency(2), With.listening()), new Mail());
        await().until(() -> worker.loops().stream()
                .filter(loop -> loop.sinceStep() != null)
                .map(LoopState::name)
                .toList()
                .containsAll(java.util.List.of(
                        "konduit-poll-default",
                        "konduit-lease-keeper",
                        "konduit-lease-watchdog",
                        "konduit-listen",
                        "konduit-completer")));
        assertThat(worker.loops())
                .extracting(LoopState::name)
                .containsExactlyInAnyOrder(
                        "konduit-poll-default",
                        "konduit-lease-keeper",
                        "konduit-lease-watchdog",
                        "konduit-listen",
                        "konduit-completer",
                        "konduit-default-1",
                        "konduit-default-2");
        assertThat(worker.loops()).allMatch(LoopState::isWell);
        worker.stop();
        assertThat(worker.loops()).isEmpty();
    }

    @Test
    void loopsGoOnAfterErrorsAndInterruptsOfOthers() {
        WorkerLifecycle worker = harness.startWorker(With.listening(), new Mail());
        Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("konduit-poll-default")
                        || thread.getName().equals("konduit-lease-keeper"))
                .forEach(Thread::interrupt);
        TaskId id = harness.queue().enqueue("mail", null);
        await().until(() -> harness.status(id).equals("COMPLETED"));
        assertThat(worker.loops()).allMatch(LoopState::isWell);
    }
}
