package io.konduit.queue.simulation;

import io.konduit.queue.DoNotRetryException;
import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskContext;
import io.konduit.queue.worker.SimulatedNode;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The handlers of the simulated application. All nodes share them: who runs one is told by the fiber. */
class SimulatedHandlers {
    static final String PLAIN = "plain";
    static final String ONCE = "once";
    static final String TRANSACTIONAL = "transactional";
    static final String LIMITED = "limited";

    private static final Duration SNOOZE = Duration.ofSeconds(2);

    @JobHandler(PLAIN)
    void plain(Work work, TaskContext task) throws Exception {
        new Run(work, task).handle(false);
    }

    @JobHandler(value = ONCE, reapable = false)
    void once(Work work, TaskContext task) throws Exception {
        new Run(work, task).handle(false);
    }

    @JobHandler(value = TRANSACTIONAL, transactional = true)
    void transactional(Work work, TaskContext task) throws Exception {
        new Run(work, task).handle(true);
    }

    @JobHandler(value = LIMITED, timeout = "6s")
    void limited(Work work, TaskContext task) throws Exception {
        new Run(work, task).handle(false);
    }

    /** One run of a handler. */
    private static final class Run {
        private final Work work;
        private final TaskContext task;
        private final Fiber fiber = Objects.requireNonNull(Fiber.current());
        private final Simulation world = fiber.process().world();
        private final UUID owner = fiber.process().id();
        private final @Nullable SimulatedNode node = fiber.process().node();

        Run(Work work, TaskContext task) {
            this.work = work;
            this.task = task;
        }

        void handle(boolean transactional) throws Exception {
            long id = task.id().value();
            world.runs().begun(id, task.fencingToken(), owner);
            world.observer().begins(id, task.fencingToken(), fiber.process());
            try {
                if (transactional) {
                    effect("T");
                }
                for (char step : work.steps().toCharArray()) {
                    take(step);
                }
                if (world.runs().count(id) <= work.snoozes()) {
                    task.snooze(SNOOZE);
                }
                if (task.attempt() <= work.failures()) {
                    throw work.fatal()
                            ? new DoNotRetryException("The simulation wants it so")
                            : new IllegalStateException("The simulation wants it so");
                }
                world.runs().returned(id, task.fencingToken(), owner);
            } finally {
                if (fiber.process().isAlive()) {
                    world.runs().ended(id, task.fencingToken(), owner);
                }
            }
        }

        private void take(char step) throws InterruptedException {
            switch (step) {
                case 's' -> sleep(work.millis());
                case 'c' -> checkpoint();
                case 'g' -> transaction().executeWithoutResult(status -> effect("G"));
                case 'k' ->
                    transaction().executeWithoutResult(status -> {
                        checkpoint();
                        effect("G");
                        try {
                            sleep(work.millis());
                        } catch (InterruptedException e) {
                            throw new IllegalStateException("Interrupted in a transaction", e);
                        }
                    });
                default -> throw new IllegalArgumentException("Unknown step " + step);
            }
        }

        private DataSourceTransactionManager transactions() {
            return Objects.requireNonNull(node).transactions();
        }

        private TransactionTemplate transaction() {
            return new TransactionTemplate(transactions());
        }

        private void checkpoint() {
            task.checkpoint(Map.of("epoch", task.fencingToken(), "at", world.now()));
        }

        private void effect(String kind) {
            new JdbcTemplate(Objects.requireNonNull(transactions().getDataSource()))
                    .update(
                            "insert into simulation.effect (task_id, epoch, owner, kind) values (?, ?, ?, ?)",
                            task.id().value(),
                            task.fencingToken(),
                            owner,
                            kind);
        }

        /** Ends early when the run is told to end, unless the handler does not listen. */
        private void sleep(int millis) throws InterruptedException {
            fiber.next = "sleep";
            fiber.dueNanos = world.now() + Duration.ofMillis(millis).toNanos();
            fiber.wake = work.deaf() ? () -> false : task::cancelled;
            fiber.pause();
            if (work.deaf()) {
                Thread.interrupted();
            } else if (Thread.interrupted()) {
                throw new InterruptedException("The run was told to end");
            }
        }
    }
}
