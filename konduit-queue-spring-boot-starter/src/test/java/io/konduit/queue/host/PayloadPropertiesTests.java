package io.konduit.queue.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.konduit.queue.InvalidJobHandlerException;
import io.konduit.queue.InvalidPayloadException;
import io.konduit.queue.InvalidSettingsException;
import io.konduit.queue.JobHandler;
import io.konduit.queue.PayloadTooLargeException;
import io.konduit.queue.TaskQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Payloads as an application sees them. */
@Tag("S9")
class PayloadPropertiesTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    private final ApplicationContextRunner application =
            host.plainJdbc().withPropertyValues("konduit.queue.worker.enabled=false");

    /** Written under one name and read under another. */
    static class Misnamed {
        @JsonProperty("written")
        public String getText() {
            return "canary-4711";
        }

        @JsonProperty(value = "read", required = true)
        public void setOther(String text) {}

        @com.fasterxml.jackson.annotation.JsonCreator
        static Misnamed of(@JsonProperty(value = "read", required = true) String text) {
            return new Misnamed();
        }
    }

    static class Jobs {
        @JobHandler("misnamed")
        void misnamed(Misnamed payload) {}
    }

    sealed interface Bare permits Red {}

    record Red() implements Bare {}

    static class BareJobs {
        @JobHandler("bare")
        void handle(Bare bare) {}
    }

    @Test
    @Tag("O7")
    void payloadsAreReadBackWhenThatIsOn() {
        application.withUserConfiguration(Jobs.class).run(context -> {
            assertThatCode(() -> context.getBean(TaskQueue.class).enqueue("misnamed", new Misnamed()))
                    .doesNotThrowAnyException();
        });
        application
                .withPropertyValues("konduit.queue.check-payloads=true")
                .withUserConfiguration(Jobs.class)
                .run(context -> assertThatExceptionOfType(InvalidPayloadException.class)
                        .isThrownBy(() -> context.getBean(TaskQueue.class).enqueue("misnamed", new Misnamed()))
                        .withMessageContaining("'misnamed'")
                        .withMessageContaining(Misnamed.class.getTypeName())
                        .satisfies(e -> assertThat(e).message().doesNotContain("canary-4711")));
    }

    @Test
    void limitOfPayloadsIsASetting() {
        application.run(context -> assertThatExceptionOfType(PayloadTooLargeException.class)
                .isThrownBy(() -> context.getBean(TaskQueue.class).enqueue("blob", "x".repeat(300_000))));
        application.withPropertyValues("konduit.queue.max-payload=1MB").run(context -> {
            context.getBean(TaskQueue.class).enqueue("blob", "x".repeat(300_000));
            assertThatExceptionOfType(PayloadTooLargeException.class)
                    .isThrownBy(() -> context.getBean(TaskQueue.class).enqueue("blob", "x".repeat(1_048_575)));
        });
        application
                .withPropertyValues("konduit.queue.max-payload=11MB")
                .run(
                        context -> assertThat(context.getStartupFailure())
                                .rootCause()
                                .isInstanceOf(InvalidSettingsException.class)
                                .hasMessage(
                                        "'konduit.queue.max-payload' (11534336 bytes) must be between 1KB and 10MB. Store larger data elsewhere and send its key."));
    }

    @Test
    void startSaysWhatToAddToASealedInterface() {
        application.withUserConfiguration(BareJobs.class).run(context -> assertThat(context.getStartupFailure())
                .isInstanceOf(InvalidJobHandlerException.class)
                .hasMessageContaining("Handler 'bare'")
                .hasMessageContaining("Add @JsonTypeInfo(use = JsonTypeInfo.Id.NAME) to Bare"));
    }
}
