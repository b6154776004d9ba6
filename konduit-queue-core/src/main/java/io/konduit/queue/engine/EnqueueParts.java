package io.konduit.queue.engine;

import io.konduit.queue.TaskQueue;
import io.konduit.queue.enqueue.AfterCommit;
import io.konduit.queue.enqueue.Notifier;
import io.konduit.queue.enqueue.RequestChecker;
import io.konduit.queue.enqueue.TaskWakeUp;
import io.konduit.queue.enqueue.TransactionalTaskQueue;
import io.konduit.queue.insert.TaskInserts;
import io.konduit.queue.schedule.ScheduleClock;
import io.konduit.queue.store.ControlMessages;
import io.konduit.queue.store.ControlReceiver;
import io.konduit.queue.store.NotificationChannel;
import io.konduit.queue.store.TaskRepository;
import io.konduit.queue.worker.WorkerLifecycle;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The parts that an application needs to enqueue. */
final class EnqueueParts {
    final Part<TaskInserts> inserts;
    final Part<ControlMessages> messages;
    final Part<TaskRepository> tasks;
    final Part<NotificationChannel> channel;
    final Part<Notifier> notifier;
    final Part<RequestChecker> checker;
    final Part<AfterCommit> afterCommit;
    final Part<TaskQueue> queue;
    final Supplier<Stream<TaskWakeUp>> wakeUps;

    /**
     * @param failover knows the database's time, and what is enqueued
     * @param worker evaluated when this instance's worker must be notified
     * @param clock evaluated when the clock of this instance's schedules must be notified
     */
    EnqueueParts(
            QueueEngineBuilder given,
            FailoverParts failover,
            Supplier<WorkerLifecycle> worker,
            Supplier<ScheduleClock> clock) {
        channel = given.part(NotificationChannel.class, () -> new NotificationChannel(given.database));
        notifier = given.part(Notifier.class, () -> new Notifier(channel.get()));
        wakeUps = given.wakeUps != null ? given.wakeUps : () -> own(given, worker, TaskWakeUp.class);
        Supplier<Stream<ControlReceiver>> receivers = given.controlReceivers != null
                ? given.controlReceivers
                : () -> Stream.concat(own(given, worker, ControlReceiver.class), clocks(given, clock));
        inserts = given.part(
                TaskInserts.class,
                () -> new TaskInserts(given.database, given.settings.enqueue().groupEnqueues()));
        messages = given.part(ControlMessages.class, () -> new ControlMessages(given.database, receivers));
        tasks = given.part(TaskRepository.class, () -> new TaskRepository(given.database, messages.get()));
        checker = new Part<>(() -> new RequestChecker(
                given.handlers, given.converter.get(), given.settings.enqueue().rejectUnknownTypes()));
        afterCommit = new Part<>(() -> new AfterCommit(
                inserts.get()::commitsLater,
                wakeUps,
                given.enqueueMonitor.get(),
                failover.acknowledged.get(),
                () -> failover.outageGuard.get().databaseTime()));
        queue = given.part(
                TaskQueue.class,
                () -> new TransactionalTaskQueue(
                        inserts.get(), tasks.get(), checker.get(), afterCommit.get(), given.observations));
    }

    private static Stream<ControlReceiver> clocks(QueueEngineBuilder given, Supplier<ScheduleClock> clock) {
        return given.settings.instance().runsChores() ? Stream.of(clock.get()) : Stream.empty();
    }

    private <T> Stream<T> own(QueueEngineBuilder given, Supplier<WorkerLifecycle> worker, Class<T> role) {
        Stream<Object> workers = given.settings.instance().runsTasks() ? Stream.of(worker.get()) : Stream.empty();
        Stream<Object> notifiers = given.settings.worker().listen() ? Stream.of(notifier.get()) : Stream.empty();
        return Stream.concat(workers, notifiers).map(role::cast);
    }
}
