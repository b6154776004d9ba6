package io.konduit.queue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Enqueues a task for a {@link JobHandler} method again and again. The method takes a {@link TaskContext} or nothing:
 * {@link TaskContext#scheduledFor()} is the time that the run is for.
 *
 * <pre>{@code
 * @JobHandler("nightly-report")
 * @Recurring(cron = "0 30 2 * * *", zone = "Europe/Berlin")
 * void report(TaskContext task) { ... }
 * }</pre>
 *
 * Texts may contain placeholders such as <code>${report.cron}</code>.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Recurring {
    /**
     * Six fields: second, minute, hour, day of the month, month, day of the week; or a macro such as {@code @daily}.
     * {@code -} declares nothing, so that a property can switch it off. Either this or {@link #every} is set.
     *
     * <p>A fixed hour means a time on the wall clock: when clocks go forward over it, it fires at the end of the gap; when
     * they go back over it, it fires once, at its first occurrence. With a {@code *} in the field of the hour, the
     * expression follows elapsed time: it skips the gap, and fires in both passes of the repeated hour.
     */
    String cron() default "";

    /** The time zone of {@link #cron}. Empty means that of the JVM. */
    String zone() default "";

    /** A fixed interval of at least a second, such as {@code 10m}. The first time is one interval after the declaration. */
    String every() default "";

    /** The name of the schedule. Empty means the task type. */
    String name() default "";

    /** What happens with times that were missed while no instance ran. */
    CatchUp catchUp() default CatchUp.LATEST;

    /** What happens when the previous task is not finished. */
    Overlap overlap() default Overlap.SKIP;
}
