package io.konduit.queue.enqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.konduit.queue.InvalidPayloadException;
import io.konduit.queue.InvalidTaskException;
import io.konduit.queue.JobHandler;
import io.konduit.queue.PayloadTooLargeException;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.UnknownTaskTypeException;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.settings.EnqueueSettings;
import io.konduit.queue.settings.QueueSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Bad requests: a typed error with what was expected and found, and nothing stored. */
@Tag("S9")
class RequestTests {
    private static final String CANARY = "canary-4711";

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final TaskQueue queue = harness.queue();

    @AfterEach
    void nothingWasStored() {
        assertThat(harness.count("select count(*) from konduit_task where payload::text like '%canary%'"))
                .isZero();
    }

    private static TaskRequest request() {
        return TaskRequest.of("mail", CANARY);
    }

    static Stream<Arguments> badRequests() {
        return Stream.of(
                Arguments.of(
                        TaskRequest.of(" ", CANARY),
                        "Expected the task type to have 1 to 200 characters, but it is blank."),
                Arguments.of(
                        TaskRequest.of("x".repeat(201), CANARY),
                        "Expected the task type to have 1 to 200 characters, but it has 201."),
                Arguments.of(
                        TaskRequest.of("a\0b", CANARY),
                        "Expected the task type to have no control characters, but character 2 is U+0000."),
                Arguments.of(
                        TaskRequest.of("a\ud83d", CANARY),
                        "Expected the task type to be valid Unicode, but character 2 is half of a surrogate pair."),
                Arguments.of(
                        request().queue("q".repeat(101)),
                        "Expected the queue of a 'mail' task to have 1 to 100 characters, but it has 101."),
                Arguments.of(
                        request().queue("a\nb"),
                        "Expected the queue of a 'mail' task to have no control characters, but character 2 is U+000A."),
                Arguments.of(
                        request().uniqueKey(""),
                        "Expected the unique key of a 'mail' task to have 1 to 500 characters, but it is blank."),
                Arguments.of(
                        request().uniqueKey("k".repeat(501)),
                        "Expected the unique key of a 'mail' task to have 1 to 500 characters, but it has 501."),
                Arguments.of(
                        request().maxAttempts(0),
                        "Expected maxAttempts of a 'mail' task to be at least 1, but it is 0."),
                Arguments.of(
                        request().delay(Duration.ofSeconds(-1)),
                        "Expected delay of a 'mail' task to be between 0s and 36500d, but it is -1s."),
                Arguments.of(
                        request().delay(Duration.ofDays(36_501)),
                        "Expected delay of a 'mail' task to be between 0s and 36500d, but it is 36501d."),
                Arguments.of(
                        request().delay(Duration.ofSeconds(Long.MAX_VALUE)),
                        "Expected delay of a 'mail' task to be between 0s and 36500d, but it is PT2562047788015215H30M7S."),
                Arguments.of(
                        request().lockTimeout(Duration.ofMillis(999)),
                        "Expected lockTimeout of a 'mail' task to be between 1s and 36500d, but it is 999ms."),
                Arguments.of(
                        request().timeout(Duration.ofSeconds(-1)),
                        "Expected timeout of a 'mail' task to be between 0s and 36500d, but it is -1s."),
                Arguments.of(
                        request().runAt(Instant.parse("1969-12-31T23:59:59Z")),
                        "Expected runAt of a 'mail' task to be between 1970-01-01T00:00:00Z and 9999-12-31T00:00:00Z, but it is 1969-12-31T23:59:59Z."),
                Arguments.of(
                        request().runAt(Instant.MAX),
                        "Expected runAt of a 'mail' task to be between 1970-01-01T00:00:00Z and 9999-12-31T00:00:00Z, but it is "
                                + Instant.MAX + "."));
    }

    @ParameterizedTest
    @MethodSource("badRequests")
    void badRequestIsRefusedWithWhatWasExpectedAndFound(TaskRequest request, String message) {
        assertThatExceptionOfType(InvalidTaskException.class)
                .isThrownBy(() -> queue.enqueue(request))
                .withMessage(message);
        assertThatExceptionOfType(InvalidTaskException.class)
                .isThrownBy(() -> queue.enqueueAll(List.of(request(), request)))
                .withMessage(message);
    }

    @Test
    void badPayloadIsRefusedBeforeItReachesTheCallersTransaction() {
        TaskId good = harness.transaction().execute(status -> {
            assertThatExceptionOfType(PayloadTooLargeException.class)
                    .isThrownBy(() -> queue.enqueue("mail", CANARY.repeat(PayloadConverter.MAX_BYTES / 10)))
                    .withMessageStartingWith(
                            "Expected the payload of type 'mail' to be at most 262144 bytes of JSON, but it has ");
            assertThatExceptionOfType(InvalidPayloadException.class)
                    .isThrownBy(() -> queue.enqueue("mail", CANARY + "\0"));
            assertThatExceptionOfType(InvalidPayloadException.class)
                    .isThrownBy(() -> queue.enqueue("mail", CANARY + "\ud83d"));
            return queue.enqueue("mail", "good");
        });
        assertThat(harness.status(good)).isEqualTo("PENDING");
    }

    @Test
    void payloadOfTheLargestSizeIsStored() {
        TaskId id = queue.enqueue("mail", "x".repeat(PayloadConverter.MAX_BYTES - 2));
        assertThat(harness.claimOne(harness.newWorker()).payload()).hasSize(PayloadConverter.MAX_BYTES);
        assertThat(harness.status(id)).isEqualTo("RUNNING");
    }

    /** The deepest JSON that is written must not be too deep for the database. */
    @Test
    void deeplyNestedPayloadIsStored() {
        Object nested = 1;
        for (int i = 0; i < 400; i++) {
            nested = List.of(nested);
        }
        assertThat(harness.status(queue.enqueue("mail", nested))).isEqualTo("PENDING");
    }

    static class Mailer {
        @JobHandler(value = "welcome", queue = "letters")
        void send() {}
    }

    private static QueueSettings rejectingUnknownTypes() {
        return new QueueSettings() {
            @Override
            public EnqueueSettings enqueue() {
                return new EnqueueSettings(true, true);
            }
        };
    }

    @Test
    void unknownTypeIsRefusedOnlyWhereTheApplicationWantsThat() {
        TaskQueue strict =
                harness.engine(rejectingUnknownTypes(), new Mailer()).build().taskQueue();
        assertThatExceptionOfType(UnknownTaskTypeException.class)
                .isThrownBy(() -> strict.enqueue("welcom", CANARY))
                .withMessage(
                        "No handler of this application has the type 'welcom'; known are [welcome]. Correct the type, or set 'konduit.queue.reject-unknown-types' to false if another application handles it.");
        assertThat(harness.status(strict.enqueue("welcome", 1))).isEqualTo("PENDING");
        assertThat(harness.status(queue.enqueue("welcom", 1))).isEqualTo("PENDING");
    }

    @Test
    void handlerNamesTheQueueUnlessTheRequestDoes() {
        TaskQueue own = harness.queue(new Mailer());
        assertThat(own.find(own.enqueue("welcome", 1)).map(Task::queue)).contains("letters");
        assertThat(own.find(own.enqueue(TaskRequest.of("welcome", 1).queue("mine")))
                        .map(Task::queue))
                .contains("mine");
        assertThat(own.find(own.enqueue("other", 1)).map(Task::queue)).contains("default");
    }

    @Test
    void requestIsImmutableAndDoesNotShowItsPayload() {
        TaskRequest first = request();
        TaskRequest second = first.queue("mail").delay(Duration.ofSeconds(5));
        assertThat(first.queue()).isNull();
        assertThat(second.queue()).isEqualTo("mail");
        assertThat(second.runAt(Instant.EPOCH).delay()).isNull();
        assertThat(second.toString()).contains("mail").doesNotContain(CANARY);
    }
}
