package io.konduit.queue.worker;

import io.konduit.queue.failover.Activity;
import io.konduit.queue.thread.Jitter;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;

/**
 * What a worker uses from its JVM.
 *
 * @param nanoTime a monotonic clock
 * @param handlerThreads makes the threads that run handlers
 * @param activity learns of the tasks that run here and, from notifications, elsewhere
 */
public record WorkerRuntime(LongSupplier nanoTime, Jitter jitter, ThreadFactory handlerThreads, Activity activity) {}
