package io.konduit.queue.simulation;

import io.konduit.queue.Priority;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.engine.QueueEngine;
import io.konduit.queue.review.AdministrationRepository;
import io.konduit.queue.review.PauseRepository;
import io.konduit.queue.settings.QueueSettings;
import io.konduit.queue.store.TaskRepository;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/** Sends the tasks, and does now and then what people do to them. */
final class SimulatedPerson {
    private static final long MILLISECOND = 1_000_000L;
    private static final String QUEUE = "default";

    private final Simulation world;
    private final Random random;
    private final SimulatedProcess process;
    private final TaskQueue queue;
    private final TaskRepository tasks;
    private final AdministrationRepository decisions;
    private final PauseRepository pauses;
    private final TransactionTemplate transaction;
    private @Nullable Fiber fiber;
    private boolean paused;

    SimulatedPerson(Simulation world, Environment environment, Random random) {
        this.world = world;
        this.random = random;
        this.process = new SimulatedProcess(world, "person", new UUID(0, 0));
        this.tasks = environment.tasks();
        this.decisions = new AdministrationRepository(environment.personsDatabase());
        this.pauses = new PauseRepository(environment.personsDatabase());
        this.transaction = new TransactionTemplate(
                new DataSourceTransactionManager(environment.personsDatabase().application()));
        this.queue = QueueEngine.builder(environment.personsDatabase(), QueueSettings.DEFAULTS, environment.handlers())
                .converter(environment::converter)
                .wakeUps(Stream::empty)
                .build()
                .taskQueue();
    }

    /** Tasks of every kind. */
    void enqueue() {
        List<TaskRequest> requests = new ArrayList<>();
        int count = 10 + random.nextInt(15);
        for (int i = 0; i < count; i++) {
            requests.add(request());
        }
        queue.enqueueAll(requests);
    }

    private TaskRequest request() {
        String type = pick(
                SimulatedHandlers.PLAIN,
                SimulatedHandlers.PLAIN,
                SimulatedHandlers.PLAIN,
                SimulatedHandlers.ONCE,
                SimulatedHandlers.TRANSACTIONAL,
                SimulatedHandlers.TRANSACTIONAL,
                SimulatedHandlers.LIMITED);
        String steps = pick("s", "s", "", "ss", "scs", "scsc", "g", "sgs", "gsg", "ks", "k", "sks", "ssss");
        if (type.equals(SimulatedHandlers.TRANSACTIONAL)) {
            steps = pick("s", "", "ss", "sc", "cs");
        }
        int millis = random.nextInt(pickOf(200, 3_000, 3_000, 12_000, 30_000));
        if (type.equals(SimulatedHandlers.LIMITED)) {
            millis = random.nextInt(9_000);
        }
        int failures = random.nextInt(4) > 0 ? 0 : 1 + random.nextInt(3);
        boolean fatal = random.nextInt(5) == 0;
        int snoozes = random.nextInt(4) > 0 ? 0 : 1 + random.nextInt(2);
        Work work = new Work(steps, millis, failures, fatal, snoozes, random.nextInt(5) == 0);
        TaskRequest request =
                TaskRequest.of(type, work).priority(Priority.values()[random.nextInt(Priority.values().length)]);
        return random.nextInt(4) > 0 ? request : request.delay(Duration.ofMillis(random.nextInt(20_000)));
    }

    @SafeVarargs
    private <T> T pick(T... choices) {
        return choices[random.nextInt(choices.length)];
    }

    private int pickOf(int... choices) {
        return choices[random.nextInt(choices.length)];
    }

    void arrive() {
        world.join(process);
        next();
    }

    /** Nothing more is decided from now on, and no queue stays paused. */
    void leave() {
        world.at(world.now() + 1_000 * MILLISECOND, "the person leaves", () -> {
            if (isBusy()) {
                leave();
            } else {
                paused = true;
                act("resume", () -> {
                    pauses.resume(QUEUE, "person", null);
                    paused = false;
                });
                world.at(world.now() + 1_000 * MILLISECOND, "the queue is resumed", () -> {
                    if (paused) {
                        leave();
                    }
                });
            }
        });
    }

    boolean isBusy() {
        return fiber != null && !fiber.isEnded();
    }

    private void next() {
        world.at(world.now() + (1_000 + random.nextInt(6_000)) * MILLISECOND, "the person looks", () -> {
            if (!world.isSettling()) {
                if (!isBusy()) {
                    decide();
                }
                next();
            }
        });
    }

    private void decide() {
        switch (random.nextInt(8)) {
            case 0 -> on("cancel", null, id -> tasks.cancel(id, "person", null));
            case 1, 2 -> on("release", "HELD", id -> decisions.release(id, "person", null));
            case 3 -> on("fail", "HELD", id -> decisions.failByHand(id, "person", null));
            case 4 -> on("retry", "FAILED", id -> decisions.retry(id, 1 + random.nextInt(2), "person", null));
            case 5 -> pauseOrResume();
            default -> on("hold", random.nextBoolean() ? "RUNNING" : "PENDING", this::lockForLong);
        }
    }

    private void pauseOrResume() {
        paused = !paused;
        if (paused) {
            act("pause", () -> pauses.pause(QUEUE, "person", null));
        } else {
            act("resume", () -> pauses.resume(QUEUE, "person", null));
        }
    }

    /** A transaction of the application that cancels a task and takes its time before it decides against it, or not. */
    private void lockForLong(TaskId id) {
        boolean commits = random.nextInt(4) == 0;
        int millis = random.nextInt(9_000);
        transaction.executeWithoutResult(status -> {
            if (!tasks.cancel(id, "person", null)) {
                return;
            }
            Fiber self = Objects.requireNonNull(Fiber.current());
            self.next = "sleep";
            self.dueNanos = world.now() + millis * MILLISECOND;
            self.pause();
            if (!commits) {
                status.setRollbackOnly();
            }
        });
        world.observer().disturb(id.value());
    }

    private interface Decision {
        void on(TaskId id);
    }

    private void on(String what, @Nullable String status, Decision decision) {
        List<Long> ids = world.observer().statuses().entrySet().stream()
                .filter(task -> status == null
                        ? !List.of("COMPLETED", "CANCELLED").contains(task.getValue())
                        : task.getValue().equals(status))
                .map(Map.Entry::getKey)
                .toList();
        if (!ids.isEmpty()) {
            TaskId id = TaskId.of(ids.get(random.nextInt(ids.size())));
            act(what + " " + id.value(), () -> decision.on(id));
        }
    }

    private void act(String what, Runnable decision) {
        world.tally().count(what.replaceAll(" .*", ""));
        fiber = world.begin(process, what, () -> {
            try {
                decision.run();
            } catch (DataAccessException | TransactionException e) {
                world.trace(() -> "    the person gives up");
            }
        });
    }
}
