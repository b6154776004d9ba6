package io.konduit.queue.worker;

import io.konduit.queue.thread.Jitter;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;

/**
 * What a worker uses from its JVM.
 *
 * @param nanoTime a monotonic clock
 * @param handlerThreads makes the threads that run handlers
 */
public record WorkerRuntime(LongSupplier nanoTime, Jitter jitter, ThreadFactory handlerThreads) {}
