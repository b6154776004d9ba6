package io.konduit.queue.engine;

import io.konduit.queue.RetryPolicy;
import io.konduit.queue.enqueue.EnqueueMonitor;
import io.konduit.queue.enqueue.TaskWakeUp;
import io.konduit.queue.error.ErrorMessages;
import io.konduit.queue.error.ErrorTexts;
import io.konduit.queue.failover.FailoverMonitor;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.leader.Chore;
import io.konduit.queue.observation.TaskObservations;
import io.konduit.queue.publish.QueueEvents;
import io.konduit.queue.recovery.ReclaimMonitor;
import io.konduit.queue.schedule.ScheduleMonitor;
import io.konduit.queue.settings.QueueSettings;
import io.konduit.queue.store.ControlReceiver;
import io.konduit.queue.thread.QueueThreads;
import io.konduit.queue.worker.QueueMonitor;
import io.konduit.queue.worker.WorkerIdentity;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import net.javacrumbs.shedlock.core.LockProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;
import tools.jackson.databind.json.JsonMapper;

/**
 * The input of a queue. Suppliers are evaluated when a part needs the value, not before: a handler may
 * need the queue, and a monitor, a wake-up or the transaction manager may need a bean that does.
 */
public final class QueueEngineBuilder {
    final QueueDatabase database;
    final QueueSettings settings;
    final JobHandlerRegistry handlers;
    final Map<Class<?>, Supplier<?>> replaced;
    Replacements replacements = Replacements.NONE;
    LongSupplier nanoTime = System::nanoTime;
    DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();
    Supplier<? extends @Nullable WorkerIdentity> identity = new Part<>(() -> WorkerIdentity.create("application"));
    QueueEvents events = new QueueEvents(event -> {});
    Executor applicationThread = Runnable::run;
    TaskObservations observations = TaskObservations.none();
    Supplier<ErrorTexts> errors = () -> new ErrorTexts(ErrorMessages.STORE, List::of);
    Supplier<PayloadConverter> converter;
    Supplier<RetryPolicy> retryPolicy;
    Supplier<? extends @Nullable PlatformTransactionManager> transactionManager = () -> null;
    Supplier<? extends @Nullable LockProvider> lockProvider = () -> null;
    ThreadFactory handlerThreads = QueueThreads::daemon;

    @Nullable
    Supplier<Stream<TaskWakeUp>> wakeUps;

    @Nullable
    Supplier<Stream<ControlReceiver>> controlReceivers;

    Supplier<Stream<Chore>> chores = Stream::empty;
    Supplier<QueueMonitor> monitor = () -> QueueMonitor.NONE;
    Supplier<EnqueueMonitor> enqueueMonitor = () -> EnqueueMonitor.NONE;
    Supplier<ReclaimMonitor> reclaimMonitor = () -> ReclaimMonitor.NONE;
    Supplier<FailoverMonitor> failoverMonitor = () -> FailoverMonitor.NONE;
    Supplier<ScheduleMonitor> scheduleMonitor = () -> ScheduleMonitor.NONE;

    QueueEngineBuilder(QueueDatabase database, QueueSettings settings, JobHandlerRegistry handlers) {
        this.database = database;
        this.settings = settings;
        this.handlers = handlers;
        this.replaced = new HashMap<>();
        this.converter =
                new Part<>(() -> new PayloadConverter(JsonMapper.builder().build(), settings.payloads()));
        this.retryPolicy = new Part<>(() -> settings.retry().policy());
    }

    /** The monotonic clock of this instance. */
    public QueueEngineBuilder nanoTime(LongSupplier clock) {
        this.nanoTime = clock;
        return this;
    }

    /** @param source gives values from 0 up to but not including 1 */
    public QueueEngineBuilder random(DoubleSupplier source) {
        this.random = source;
        return this;
    }

    public QueueEngineBuilder identity(WorkerIdentity known) {
        return identity(() -> known);
    }

    /** @param source gives null for an instance that only enqueues */
    public QueueEngineBuilder identity(Supplier<? extends @Nullable WorkerIdentity> source) {
        this.identity = source;
        return this;
    }

    public QueueEngineBuilder events(QueueEvents publisher) {
        this.events = publisher;
        return this;
    }

    /** Runs the application's wake-ups when the reaper has made tasks due. By default, this is the reaper's own thread. */
    public QueueEngineBuilder applicationThread(Executor executor) {
        this.applicationThread = executor;
        return this;
    }

    public QueueEngineBuilder observations(TaskObservations observer) {
        this.observations = observer;
        return this;
    }

    public QueueEngineBuilder errors(Supplier<ErrorTexts> source) {
        this.errors = source;
        return this;
    }

    public QueueEngineBuilder converter(Supplier<PayloadConverter> source) {
        this.converter = source;
        return this;
    }

    public QueueEngineBuilder retryPolicy(Supplier<RetryPolicy> source) {
        this.retryPolicy = source;
        return this;
    }

    /** @param source gives null if there is none; then no handler may be transactional */
    public QueueEngineBuilder transactionManager(Supplier<? extends @Nullable PlatformTransactionManager> source) {
        this.transactionManager = source;
        return this;
    }

    /** @param source gives null if the queue is to keep the leader's lock in its own table */
    public QueueEngineBuilder lockProvider(Supplier<? extends @Nullable LockProvider> source) {
        this.lockProvider = source;
        return this;
    }

    /** Creates the threads that run handlers. They are daemons by default. */
    public QueueEngineBuilder handlerThreads(ThreadFactory factory) {
        this.handlerThreads = factory;
        return this;
    }

    /** Notified when tasks are due; the worker and the notifier of this queue by default. */
    public QueueEngineBuilder wakeUps(Supplier<Stream<TaskWakeUp>> source) {
        this.wakeUps = source;
        return this;
    }

    /** Notified of cancellations; the worker and the notifier of this queue by default. */
    public QueueEngineBuilder controlReceivers(Supplier<Stream<ControlReceiver>> source) {
        this.controlReceivers = source;
        return this;
    }

    /** Chores of the application, in addition to the queue's own. */
    public QueueEngineBuilder chores(Supplier<Stream<Chore>> source) {
        this.chores = source;
        return this;
    }

    public QueueEngineBuilder monitor(Supplier<QueueMonitor> source) {
        this.monitor = source;
        return this;
    }

    public QueueEngineBuilder enqueueMonitor(Supplier<EnqueueMonitor> source) {
        this.enqueueMonitor = source;
        return this;
    }

    public QueueEngineBuilder reclaimMonitor(Supplier<ReclaimMonitor> source) {
        this.reclaimMonitor = source;
        return this;
    }

    public QueueEngineBuilder failoverMonitor(Supplier<FailoverMonitor> source) {
        this.failoverMonitor = source;
        return this;
    }

    public QueueEngineBuilder scheduleMonitor(Supplier<ScheduleMonitor> source) {
        this.scheduleMonitor = source;
        return this;
    }

    /** Uses this instead of the part that the queue would create. */
    public <T> QueueEngineBuilder replace(Class<T> part, Supplier<? extends T> source) {
        replaced.put(part, source);
        return this;
    }

    /** Consulted for each part that {@link #replace} does not replace. */
    public QueueEngineBuilder replacements(Replacements source) {
        this.replacements = source;
        return this;
    }

    /** Starts no thread and sends no statement. The builder must not be used afterwards. */
    public QueueEngine build() {
        return new QueueEngine(this);
    }

    /** A part, or its replacement. */
    <T> Part<T> part(Class<T> type, Supplier<? extends T> own) {
        return new Part<>(() -> {
            Supplier<?> explicit = replaced.get(type);
            T replacement = explicit == null ? replacements.find(type) : type.cast(explicit.get());
            return replacement == null ? own.get() : replacement;
        });
    }
}
