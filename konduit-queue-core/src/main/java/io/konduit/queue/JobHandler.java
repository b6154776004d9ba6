package io.konduit.queue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a Spring bean as the handler of one task type.
 *
 * <p>The method takes the payload, a {@link TaskContext}, both in either order, or nothing. The payload is read from
 * JSON into the declared parameter type. When the method returns, the task is completed. When it throws, the task is
 * retried after a backoff until it has no attempts left; a {@link DoNotRetryException} fails it without a retry. If the
 * method returns a {@link java.util.concurrent.CompletionStage} or a {@link java.util.concurrent.Future}, the worker
 * waits for it, and cancels it when the run is interrupted.
 *
 * <pre>{@code
 * @JobHandler("welcome-mail")
 * void send(WelcomeMail mail, TaskContext task) { ... }
 * }</pre>
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface JobHandler {

    /**
     * The task type this method handles. One handler per type in an application. Empty means the {@link TaskType} of
     * the payload's class.
     */
    String value() default "";

    /** The queue for tasks of this type when the request names none. Empty means {@code default}. */
    String queue() default "";

    /** The maximum number of attempts, including the first. -1 means {@code konduit.queue.retry.max-attempts}. */
    int maxAttempts() default -1;

    /**
     * The delay before the next attempt: {@code 30s} for a fixed delay, {@code 1m..1h} for a delay that starts at 1 m
     * and doubles up to 1 h. {@link RetryPolicy#jitter()} applies to each delay. Empty means the {@link RetryPolicy}
     * bean, which is built from {@code konduit.queue.retry.*} unless the application defines one.
     */
    String backoff() default "";

    /** How long a lease lasts unless it is extended, such as {@code 30s}. Empty means {@code konduit.queue.lock-timeout}. */
    String lockTimeout() default "";

    /** The time limit for one run, such as {@code 10m}. Empty means {@code konduit.queue.worker.timeout}, {@code 0} means no limit. */
    String timeout() default "";

    /** Whether a task whose worker crashed is run again automatically. {@code false} holds it for a person to decide. */
    boolean reapable() default true;

    /**
     * Whether the handler and the completion of the task commit in one transaction, so that the handler's database
     * writes take effect exactly once.
     */
    boolean transactional() default false;
}
