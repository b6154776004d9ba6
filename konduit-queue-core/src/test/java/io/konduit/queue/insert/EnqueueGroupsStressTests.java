package io.konduit.queue.insert;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.Submission;
import io.konduit.queue.TaskId;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.UncategorizedSQLException;

/**
 * Enqueues that share a statement look as if each had been sent alone. Lincheck runs random concurrent histories and compares
 * them with a plain counter: every caller gets the id of its own task, ids follow the order of the calls, a refused task
 * fails alone, and nobody waits forever.
 */
class EnqueueGroupsStressTests {
    private static final String PASSED = "Every history is linearizable.";

    @Test
    @Timeout(120)
    void callersSeeWhatTheyWouldSeeAlone() throws Exception {
        Process histories = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-cp",
                        System.getProperty("java.class.path"),
                        EnqueueGroupsStressTests.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(histories.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(histories.waitFor()).as(output).isZero();
        assertThat(output).contains(PASSED);
    }

    /** In a JVM of its own: Lincheck's agent transforms every class that is loaded. */
    public static void main(String[] arguments) {
        new StressOptions()
                .threads(3)
                .actorsPerThread(4)
                .iterations(20)
                .invocationsPerIteration(500)
                .sequentialSpecification(OneByOne.class)
                .check(InGroups.class);
        System.out.println(PASSED);
    }

    /** Every third statement takes longer than callers behind it are willing to wait. */
    public static class InGroups {
        private final AtomicLong ids = new AtomicLong();
        private final AtomicLong statements = new AtomicLong();
        private final Map<Long, String> stored = new ConcurrentHashMap<>();
        private final EnqueueGroups groups =
                new EnqueueGroups(this::insert, Duration.ofNanos(20_000), Duration.ofNanos(100_000));

        /** The id, if the caller's own task has it. */
        @Operation
        public long enqueue(@Param(gen = IntGen.class, conf = "1:9") int payload) {
            long id = groups.enqueue(task("good", payload)).id().value();
            return String.valueOf(payload).equals(stored.get(id)) ? id : -1;
        }

        @Operation
        public long enqueueRefused() {
            return groups.enqueue(task("refused", 0)).id().value();
        }

        private List<Submission> insert(List<NewTask> tasks) {
            if (tasks.stream().anyMatch(task -> task.type().equals("refused"))) {
                throw refusal();
            }
            if (statements.incrementAndGet() % 3 == 0) {
                LockSupport.parkNanos(200_000);
            }
            long first = ids.getAndAdd(tasks.size());
            List<Submission> submissions = new ArrayList<>();
            for (NewTask task : tasks) {
                long id = first + submissions.size() + 1;
                stored.put(id, task.payload());
                submissions.add(new Submission(new TaskId(id), true));
            }
            return submissions;
        }
    }

    /** What a caller would see alone. */
    public static class OneByOne {
        private long last;

        public long enqueue(int payload) {
            return ++last;
        }

        public long enqueueRefused() {
            throw refusal();
        }
    }

    private static UncategorizedSQLException refusal() {
        return new UncategorizedSQLException("insert", null, new SQLException("refused", "23514"));
    }

    private static NewTask task(String type, int payload) {
        return new NewTask(
                "default", type, String.valueOf(payload), 2, null, Duration.ZERO, 3, true, null, null, null, null);
    }
}
