package io.konduit.queue.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.TestPropertySource;

/**
 * A {@code @SpringBootTest} in which nothing runs by itself: no worker, and no chores. A {@link ManualWorker} and {@link
 * EnqueuedTasks} are there to be injected.
 *
 * <p>For another kind of Spring test, use {@code @Import(KonduitQueueTestConfiguration.class)} and set {@code
 * konduit.queue.worker.enabled=false}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@SpringBootTest
@TestPropertySource(properties = {"konduit.queue.worker.enabled=false", "konduit.queue.chores.enabled=false"})
@Import(KonduitQueueTestConfiguration.class)
public @interface KonduitQueueTest {

    /** Properties of the test, in addition, as {@code name=value}. */
    @AliasFor(annotation = SpringBootTest.class)
    String[] properties() default {};

    /** The configuration to start with; by default the application's. */
    @AliasFor(annotation = SpringBootTest.class)
    Class<?>[] classes() default {};

    /** Whether the test has a web server. */
    @AliasFor(annotation = SpringBootTest.class)
    SpringBootTest.WebEnvironment webEnvironment() default SpringBootTest.WebEnvironment.MOCK;
}
