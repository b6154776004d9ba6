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
 * JSON into the declared parameter type. Returning means the task is completed; an exception means it is retried
 * after a backoff until its attempts are used up, or failed at once for a {@link DoNotRetryException}. A returned
 * {@link java.util.concurrent.CompletionStage} or {@link java.util.concurrent.Future} is waited for, and cancelled when the
 * run is interrupted.
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

    /** The task type this method handles. One handler per type in an application. */
    String value();

    /** The queue that tasks of this type go to when the request names none; empty means {@code default}. */
    String queue() default "";

    /** How often a task may be tried in all; -1 takes {@code konduit.queue.retry.max-attempts}. */
    int maxAttempts() default -1;

    /**
     * How long to wait before the next attempt: {@code 30s} for the same wait each time, {@code 1m..1h} for a first wait
     * that doubles up to a limit. Each wait is spread by {@link RetryPolicy#jitter()}. Empty takes the
     * {@link RetryPolicy}, which is made from {@code konduit.queue.retry.*} unless the application has one of its own.
     */
    String backoff() default "";

    /** How long a lease lasts before it must be extended, such as {@code 30s}; empty takes {@code konduit.queue.lock-timeout}. */
    String lockTimeout() default "";

    /** The hard limit of one run, such as {@code 10m}; empty takes {@code konduit.queue.worker.timeout}, {@code 0} means none. */
    String timeout() default "";

    /** Whether a task whose worker crashed runs again on its own; {@code false} holds it for a person. */
    boolean reapable() default true;

    /** Whether the handler and the completion commit in one transaction, so that its database effects happen exactly once. */
    boolean transactional() default false;
}
