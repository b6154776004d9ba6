package io.konduit.queue.testing;

import io.konduit.queue.RetryPolicy;
import io.konduit.queue.TaskId;
import io.konduit.queue.engine.QueueEngine;
import io.konduit.queue.engine.QueueEngineBuilder;
import io.konduit.queue.error.ErrorMessages;
import io.konduit.queue.error.ErrorTexts;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.publish.QueueEvents;
import io.konduit.queue.settings.QueueSettings;
import io.konduit.queue.store.TimeShiftRepository;
import io.konduit.queue.worker.WorkerIdentity;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Runs due tasks once, on the thread of the test, and returns the results: no threads, no waiting.
 *
 * <pre>{@code
 * @SpringBootTest(properties = "konduit.queue.worker.enabled=false")
 * class SignUpTests {
 *     @Autowired ApplicationContext context;
 *
 *     @Test
 *     void sendsWelcomeMail() {
 *         signUp.register("ada@example.org");
 *         assertThat(ManualWorker.in(context).runDue()).extracting(ManualWorker.Run::result).containsExactly(COMPLETED);
 *     }
 * }
 * }</pre>
 *
 * <p>Handlers run as in a worker: payload, context, transactions, retries, permanent failure. Three things are left out:
 * there is no time limit, leases are not extended, and nothing runs by itself. Set {@code
 * konduit.queue.worker.enabled=false}, otherwise a real worker may take the tasks first. It sees committed tasks only, so it refuses to
 * run inside a transaction, such as the one of a {@code @Transactional} test.
 */
public final class ManualWorker {
    private static final int MAX_TASKS = 10_000;

    private final ListableBeanFactory context;
    private final QueueEngine engine;
    private final ErrorTexts errors;
    private final QueueDatabase database;
    private final TimeShiftRepository waiting;
    private final SinglePass pass;
    private @Nullable ManualWorker elsewhere;

    private ManualWorker(ListableBeanFactory context, QueueEngine engine, ErrorTexts errors) {
        this.context = context;
        this.engine = engine;
        this.errors = errors;
        this.database = engine.database();
        this.waiting = new TimeShiftRepository(database);
        this.pass = new SinglePass(engine);
    }

    /** The outcome of a run. */
    public enum Result {
        COMPLETED,
        /** The handler failed and the task waits for its next attempt: see {@link ManualWorker#makeDue}. */
        RETRIED,
        /** The handler failed and the task is FAILED. */
        FAILED,
        /** The handler has snoozed the task: see {@link ManualWorker#makeDue}. */
        SNOOZED,
        /** No handler of this application has the task's type; the task stays in the queue, untouched. */
        NO_HANDLER,
        /** The task was cancelled or taken away while its handler ran. */
        LEASE_LOST,
        /** The test let the worker die: see {@link ManualWorker#runAndDie}. */
        DIED
    }

    /**
     * One run of one task.
     *
     * @param error what the handler threw, if it failed
     */
    public record Run(
            TaskId id, String type, Result result, @Nullable Throwable error) {}

    /**
     * A worker for the application of this context. Several transaction managers are fine as long as one is the primary
     * one.
     */
    public static ManualWorker in(ListableBeanFactory context) {
        QueueEngineBuilder builder = QueueEngine.builder(
                        context.getBean(QueueDatabase.class),
                        context.getBeanProvider(QueueSettings.class).getIfAvailable(() -> QueueSettings.DEFAULTS),
                        context.getBean(JobHandlerRegistry.class))
                .identity(WorkerIdentity.create("manual-worker"))
                .converter(() -> context.getBean(PayloadConverter.class))
                .retryPolicy(() -> context.getBean(RetryPolicy.class))
                .events(events(context))
                .transactionManager(() -> context.getBeanProvider(PlatformTransactionManager.class)
                        .getIfUnique());
        ErrorTexts errors = context.getBeanProvider(ErrorTexts.class)
                .getIfAvailable(() -> new ErrorTexts(ErrorMessages.STORE, List::of));
        QueueEngine engine = builder.errors(() -> errors).build();
        context.getBeanProvider(ConfigurableTransactionManager.class).forEach(manager -> {
            manager.addListener(new CommitWatch(engine.database()));
            manager.addListener(engine.fence());
        });
        return new ManualWorker(context, engine, errors);
    }

    /** On the thread of the test, so that listeners have been called when a run is over. */
    private static QueueEvents events(ListableBeanFactory context) {
        return context instanceof ApplicationEventPublisher publisher
                ? new QueueEvents(publisher)
                : context.getBean(QueueEvents.class);
    }

    /**
     * Runs everything that is due now, in every queue that is not paused, best first. Each task runs once: a retry and
     * whatever the handlers enqueue wait for the next call.
     */
    public List<Run> runDue() {
        requireNoTransaction();
        List<String> queues = waiting.queues();
        if (queues.isEmpty()) {
            return List.of();
        }
        return pass.run(queues, MAX_TASKS);
    }

    /** Makes every task that waits for a delay or a retry due now; returns how many there were. */
    public int makeDue() {
        requireNoTransaction();
        return waiting.makeDue();
    }

    /** Acts as if this much time had passed: waiting tasks start that much earlier. */
    public void letTimePass(Duration time) {
        requireNoTransaction();
        if (time.isNegative()) {
            throw new IllegalArgumentException("Expected a duration of zero or more, but it is " + time + ".");
        }
        waiting.letTimePass(time);
    }

    /**
     * Runs the next due task until its worker dies at that point: open transactions are rolled back, and nothing is
     * reported. Then the task's lease ends and the reaper takes it back, so that the next {@link #runDue} runs it again,
     * unless it is held.
     *
     * <p>Needs the connections of the test to be watched: see {@link KonduitQueueTest}.
     *
     * @return the run, {@link Result#DIED}
     * @throws IllegalStateException if nothing is due, or if the task ends without passing the point
     */
    public Run runAndDie(CrashPoint point) {
        requireNoTransaction();
        return new SingleCrash(this).run(point);
    }

    /** Another worker of the same application. */
    synchronized ManualWorker elsewhere() {
        if (elsewhere == null) {
            elsewhere = in(context);
        }
        return elsewhere;
    }

    ListableBeanFactory context() {
        return context;
    }

    QueueEngine engine() {
        return engine;
    }

    ErrorTexts errors() {
        return errors;
    }

    SinglePass pass() {
        return pass;
    }

    TimeShiftRepository waiting() {
        return waiting;
    }

    void requireNoTransaction() {
        if (database.callerTransaction().isOpen()) {
            throw new IllegalStateException(
                    "ManualWorker sees committed tasks only, but it was called inside a transaction. Commit first: annotate the test with @Transactional(propagation = NOT_SUPPORTED), or enqueue in a TransactionTemplate.");
        }
    }
}
