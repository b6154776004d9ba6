package io.konduit.queue.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Level;
import io.konduit.queue.InvalidPayloadException;
import io.konduit.queue.JobHandler;
import io.konduit.queue.LogCapture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskContext;
import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.Payload;
import jakarta.validation.Valid;
import jakarta.validation.Validation;
import jakarta.validation.ValidatorFactory;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.validation.annotation.Validated;

/** Bean Validation on the parameters of handlers. */
@Tag("S9")
class PayloadValidationTests {
    private static final ValidatorFactory FACTORY = Validation.buildDefaultValidatorFactory();

    @AfterAll
    static void close() {
        FACTORY.close();
    }

    interface OnPaper {}

    record Line(
            @NotBlank(message = "say what it is") String text,
            @Positive int cents) {}

    record Order(
            @NotEmpty List<@Valid Line> lines,
            Map<String, @Valid Line> extras,
            @Size(max = 3, message = "{validatedValue}") String code,
            @NotNull(groups = OnPaper.class) String address) {}

    @Retention(RetentionPolicy.RUNTIME)
    @Constraint(validatedBy = TellTale.class)
    @interface Quiet {
        String message() default "be quiet";

        Class<?>[] groups() default {};

        Class<? extends Payload>[] payload() default {};
    }

    /** Puts the value into its message. */
    public static class TellTale implements ConstraintValidator<Quiet, String> {
        @Override
        public boolean isValid(String value, ConstraintValidatorContext context) {
            context.disableDefaultConstraintViolation();
            context.buildConstraintViolationWithTemplate(value + " is loud").addConstraintViolation();
            return false;
        }
    }

    record Noise(@Quiet String text) {}

    static class Jobs {
        int runs;

        @JobHandler("valid")
        void valid(@Valid Order order, TaskContext task) {
            runs++;
        }

        @JobHandler("validated")
        void validated(TaskContext task, @Validated(OnPaper.class) Order order) {
            runs++;
        }

        @JobHandler("each")
        void each(List<@Valid Line> lines) {
            runs++;
        }

        @JobHandler("present")
        void present(@NotNull Line line) {
            runs++;
        }

        @JobHandler("noise")
        void noise(@Valid Noise noise) {
            runs++;
        }

        @JobHandler("unasked")
        void unasked(Order order) {
            runs++;
        }

        @JobHandler("none")
        void none() {
            runs++;
        }
    }

    private final Jobs jobs = new Jobs();

    private JobHandlerRegistry registry(boolean validator, Object bean) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("jobs", bean);
        if (validator) {
            beans.registerSingleton("validator", FACTORY.getValidator());
        }
        return new JobHandlerRegistry(new JobHandlerScanner(beans)::scan);
    }

    private void run(JobHandlerRegistry registry, String type, String json) {
        try {
            registry.find(type).orElseThrow().invoke(json, QueueHarness.converter(), null);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "valid     | {\"lines\": []} | @NotEmpty at 'lines'",
                "valid     | {\"lines\": [{\"text\": \" \", \"cents\": 1}]} | @NotBlank \"say what it is\" at 'lines[0].text'",
                "valid     | {\"lines\": [{\"text\": \"a\", \"cents\": 1}], \"extras\": {\"canary-4711\": {\"text\": \"a\", \"cents\": 0}}} | @Positive at 'extras[key].cents'",
                "valid     | {\"lines\": [{\"text\": \"a\", \"cents\": 1}], \"code\": \"canary-4711\"} | @Size at 'code'",
                "validated | {\"lines\": [{\"text\": \"a\", \"cents\": 1}]} | @NotNull at 'address'",
                "each      | [{\"text\": \"a\", \"cents\": 1}, {\"text\": \"canary-4711\", \"cents\": 0}] | @Positive at '[1].cents'",
                "present   | null | @NotNull",
                "noise     | {\"text\": \"canary-4711\"} | @Quiet \"be quiet\" at 'text'"
            })
    @Tag("O7")
    void violationFailsTheTaskForGoodAndQuotesNothing(String type, String json, String violation) {
        JobHandlerRegistry registry = registry(true, jobs);
        assertThatExceptionOfType(InvalidPayloadException.class)
                .isThrownBy(() -> run(registry, type, json))
                .withMessage("Expected the payload of type '" + type + "' to be valid, but it violates " + violation
                        + ". Correct the sender, or the constraints.");
        assertThat(jobs.runs).isZero();
    }

    @Test
    void validPayloadReachesTheHandler() {
        JobHandlerRegistry registry = registry(true, jobs);
        run(registry, "valid", "{\"lines\": [{\"text\": \"a\", \"cents\": 1}]}");
        run(registry, "validated", "{\"address\": \"here\"}");
        run(registry, "each", "[]");
        run(registry, "none", "1");
        assertThat(jobs.runs).isEqualTo(4);
    }

    @Test
    void nothingIsValidatedThatDoesNotAskForIt() {
        JobHandlerRegistry registry = registry(true, jobs);
        run(registry, "unasked", "{}");
        run(registry, "unasked", "{}");
        assertThat(jobs.runs).isEqualTo(2);
    }

    @Test
    void proxyIsLookedBehind() {
        ProxyFactory proxy = new ProxyFactory(jobs);
        proxy.setProxyTargetClass(true);
        JobHandlerRegistry registry = registry(true, proxy.getProxy());
        assertThatExceptionOfType(InvalidPayloadException.class)
                .isThrownBy(() -> run(registry, "each", "[{\"text\": \"a\", \"cents\": 0}]"));
        run(registry, "each", "[{\"text\": \"a\", \"cents\": 1}]");
        assertThat(jobs.runs).isEqualTo(1);
    }

    @Test
    void manyViolationsAreCutShort() {
        String lines = "{\"text\": \"a\", \"cents\": 0},".repeat(12);
        assertThatExceptionOfType(InvalidPayloadException.class)
                .isThrownBy(() -> run(registry(true, jobs), "each", "[" + lines.substring(0, lines.length() - 1) + "]"))
                .withMessageContaining("@Positive at '[0].cents', ")
                .withMessageContaining(" and 2 more. ");
    }

    @Test
    void startWarnsOfConstraintsThatNobodyChecks() {
        try (LogCapture log = LogCapture.open()) {
            PayloadTypeCheck.check(registry(true, jobs).all(), QueueHarness.converter());
            assertThat(log.messages(Level.WARN)).isEmpty();
            PayloadTypeCheck.check(registry(false, jobs).all(), QueueHarness.converter());
            assertThat(log.messages(Level.WARN))
                    .hasSize(5)
                    .anyMatch(
                            line -> line.startsWith(
                                    "Handler 'each' (Jobs.each) has constraints on its payload, but there is no jakarta.validation.Validator bean"))
                    .noneMatch(line -> line.contains("'unasked'"));
        }
        run(registry(false, jobs), "each", "[{\"text\": \"a\", \"cents\": 0}]");
        assertThat(jobs.runs).isEqualTo(1);
    }
}
