package io.konduit.queue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;

/**
 * The task type of payloads of this class. {@link TaskQueue#enqueue(Object)} and {@link TaskRequest#of(Object)} then need
 * no type, and neither does the {@link JobHandler} that takes the class.
 *
 * <pre>{@code
 * @TaskType("welcome-mail")
 * record WelcomeMail(String to) {}
 *
 * @JobHandler
 * void send(WelcomeMail mail) { ... }
 *
 * queue.enqueue(new WelcomeMail("ada@example.org"));
 * }</pre>
 *
 * <p>On a sealed interface, it is the type of all its implementations. The nearest annotation counts: the class's own,
 * then that of a superclass or interface.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@RegisterReflectionForBinding
public @interface TaskType {

    /** The task type. Tasks that wait in the database keep it, so it must not change when the class is renamed. */
    String value();
}
