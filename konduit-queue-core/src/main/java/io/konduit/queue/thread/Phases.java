package io.konduit.queue.thread;

import org.springframework.context.SmartLifecycle;

/**
 * When the parts of the queue start and stop, relative to the rest of the application. Spring starts low phases first and
 * stops high phases first. Boot's web server stops taking requests at {@code DEFAULT_PHASE - 1024} and closes at
 * {@code DEFAULT_PHASE - 2048}.
 */
public final class Phases {
    /** The worker begins to stop just before the web server's graceful shutdown, so that both drain in parallel. */
    public static final int WORKER = SmartLifecycle.DEFAULT_PHASE - 512;

    /** The chores start before the worker. They stop when the worker begins to stop, so that another instance leads at once. */
    public static final int CHORES = WORKER - 1;

    /** The context waits here until the worker has stopped. */
    public static final int WORKER_STOPPED = SmartLifecycle.DEFAULT_PHASE - 1_536;

    /** Wake-ups continue until the last handler has ended, because it may enqueue. */
    public static final int NOTIFIER = WORKER_STOPPED - 1;

    /** The JVM may exit once the worker has stopped. */
    public static final int KEEP_ALIVE = WORKER_STOPPED - 2;

    /** Events are published until everything else has stopped. */
    public static final int EVENTS = SmartLifecycle.DEFAULT_PHASE - 2_048;

    private Phases() {}
}
