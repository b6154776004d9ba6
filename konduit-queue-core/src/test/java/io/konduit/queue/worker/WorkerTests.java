package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class WorkerTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    record Greeting(String to) {}

    static class Greeter {
        final Queue<String> greeted = new ConcurrentLinkedQueue<>();

        @JobHandler("greet")
        void greet(Greeting greeting, TaskContext task) {
            greeted.add(greeting.to() + "/" + task.attempt());
        }
    }

    @Test
    void runsAnEnqueuedTaskAndCompletesIt() {
        Greeter greeter = new Greeter();
        harness.startWorker(greeter);
        TaskId id = harness.queue(greeter).enqueue("greet", new Greeting("Ada"));
        await().untilAsserted(() -> assertThat(harness.status(id)).isEqualTo("COMPLETED"));
        assertThat(greeter.greeted).containsExactly("Ada/1");
    }

    @Test
    void drainsManyTasksEachOnce() {
        Greeter greeter = new Greeter();
        TaskQueue queue = harness.queue(greeter);
        List<TaskId> ids = queue.enqueueAll(IntStream.range(0, 5_000)
                .mapToObj(i -> TaskRequest.of("greet", new Greeting("n" + i)))
                .toList());
        harness.startWorker(greeter);
        await().untilAsserted(() -> assertThat(
                        harness.count("select count(*) from konduit_task_history where status = 'COMPLETED'"))
                .isEqualTo(ids.size()));
        assertThat(greeter.greeted).hasSize(ids.size()).doesNotHaveDuplicates();
    }
}
