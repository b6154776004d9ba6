package io.konduit.queue.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Email;
import jakarta.validation.constraints.NotBlank;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;
import org.springframework.validation.annotation.Validated;

/** An application with {@code spring-boot-starter-validation}. */
@Tag("S9")
class ValidationTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    private final ApplicationContextRunner application = host.plainJdbc()
            .withConfiguration(AutoConfigurations.of(ValidationAutoConfiguration.class))
            .withUserConfiguration(Mails.class, CheckedMails.class);

    record Mail(@NotBlank @Email String to) {}

    static class Mails {
        final List<String> sent = new CopyOnWriteArrayList<>();

        @JobHandler("mail")
        void send(@Valid Mail mail) {
            sent.add(mail.to());
        }
    }

    /** Spring makes a proxy of it that validates too. */
    @Validated
    static class CheckedMails {
        @JobHandler("checked-mail")
        public void send(@Valid Mail mail) {}
    }

    @Test
    void payloadThatViolatesAConstraintFailsAfterOneAttempt() {
        application.run(context -> {
            TaskQueue queue = context.getBean(TaskQueue.class);
            TaskId valid = queue.enqueue("mail", new Mail("ada@example.org"));
            host.awaitStatus(valid, "COMPLETED");
            for (String type : List.of("mail", "checked-mail")) {
                TaskId invalid = queue.enqueue(type, new Mail("secret-4711"));
                host.awaitStatus(invalid, "FAILED");
                assertThat(queue.find(invalid).orElseThrow().attempts()).isEqualTo(1);
                assertThat(host.jdbc()
                                .sql("select lease_epoch || ' ' || last_error from konduit_task where id = :id")
                                .param("id", invalid.value())
                                .query(String.class)
                                .single())
                        .startsWith("1 ")
                        .contains("it violates @Email at 'to'")
                        .doesNotContain("4711");
            }
            assertThat(context.getBean(Mails.class).sent).containsExactly("ada@example.org");
        });
    }
}
