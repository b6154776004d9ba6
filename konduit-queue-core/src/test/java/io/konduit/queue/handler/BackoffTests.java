package io.konduit.queue.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.konduit.queue.InvalidJobHandlerException;
import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueHarness;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackoffTests {

    @Test
    void doublesFromTheFirstWaitToTheLast() {
        Backoff backoff = Backoff.parse("1m..1h");
        assertThat(IntStream.rangeClosed(1, 8).mapToObj(attempt -> backoff.after(attempt, 0)))
                .map(Duration::toMinutes)
                .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L);
        assertThat(backoff.after(10_000, 0)).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void singleDurationIsTheSameEachTime() {
        Backoff backoff = Backoff.parse("30s");
        assertThat(backoff.after(1, 0)).isEqualTo(Duration.ofSeconds(30));
        assertThat(backoff.after(9, 0)).isEqualTo(Duration.ofSeconds(30));
        assertThat(Backoff.parse("0").after(1, 0.2)).isEqualTo(Duration.ZERO);
    }

    @Test
    void isSpreadByTheJitterAndNeverBeyondTheLastWait() {
        Backoff backoff = Backoff.parse("10s .. PT1M");
        assertThat(IntStream.range(0, 200).mapToObj(i -> backoff.after(1, 0.5)))
                .allMatch(wait -> wait.toMillis() >= 5_000 && wait.toMillis() <= 15_000)
                .anyMatch(wait -> wait.toMillis() != 10_000);
        assertThat(IntStream.range(0, 200).mapToObj(i -> backoff.after(9, 0.5)))
                .allMatch(wait -> wait.compareTo(Duration.ofMinutes(1)) <= 0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "soon    | backoff must be a duration such as '30s', or two such as '1m..1h', but is 'soon'.",
                "1m-1h   | backoff must be a duration such as '30s', or two such as '1m..1h', but is '1m-1h'.",
                "1m..    | backoff must be a duration such as '30s', or two such as '1m..1h', but is '1m..'.",
                "1s..2s..3s | backoff must be a duration such as '30s', or two such as '1m..1h', but is '1s..2s..3s'.",
                "1h..1m  | the longest delay of backoff '1h..1m' (1m) must be at least the first (1h).",
                "0s..1m  | the delay of backoff '0s..1m' must be longer than 0s but is 0s.",
                "-1s     | the delay of backoff '-1s' must be 0s or longer but is -1s."
            })
    void whatDoesNotParseIsRefusedAndSaysWhatWasExpected(String text, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Backoff.parse(text))
                .withMessage(message);
    }

    static class Hasty {
        @JobHandler(value = "mail", backoff = "quickly")
        void send() {}
    }

    static class Patient {
        @JobHandler(value = "mail", backoff = "1m..1h")
        void send() {}
    }

    @Test
    void startNamesTheHandlerWhoseBackoffIsWrong() {
        assertThatExceptionOfType(InvalidJobHandlerException.class)
                .isThrownBy(() -> QueueHarness.registry(new Hasty()).all())
                .withMessage(
                        "Handler 'mail' (Hasty.send): backoff must be a duration such as '30s', or two such as '1m..1h', but is 'quickly'.");
        assertThat(QueueHarness.registry(new Patient())
                        .find("mail")
                        .orElseThrow()
                        .backoff())
                .isEqualTo(new Backoff(Duration.ofMinutes(1), Duration.ofHours(1)));
    }
}
