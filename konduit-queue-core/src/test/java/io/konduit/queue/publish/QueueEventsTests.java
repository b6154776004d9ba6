package io.konduit.queue.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import ch.qos.logback.classic.Level;
import io.konduit.queue.CapturedLog;
import io.konduit.queue.event.ReaperFailed;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class QueueEventsTests {

    @Test
    void passesTheEventOn() {
        List<Object> received = new ArrayList<>();
        new QueueEvents(received::add).publish(new ReaperFailed("error"));

        assertThat(received).containsExactly(new ReaperFailed("error"));
    }

    @ParameterizedTest
    @MethodSource("thrown")
    void whateverAListenerThrowsStaysWithItAndIsToldWithoutItsMessage(Throwable error) {
        QueueEvents events = new QueueEvents(event -> sneak(error));
        try (CapturedLog log = CapturedLog.ofPackageOf(QueueEvents.class)) {
            assertThatCode(() -> events.publish(new ReaperFailed("error"))).doesNotThrowAnyException();

            assertThat(log.at(Level.WARN))
                    .containsExactly("A listener of ReaperFailed failed with "
                            + error.getClass().getName() + "; the queue continues");
        }
    }

    static Stream<Throwable> thrown() {
        return Stream.of(
                new IllegalStateException("secret"),
                new NoClassDefFoundError("secret"),
                new AssertionError("secret"),
                new StackOverflowError("secret"),
                // from listeners in languages without checked exceptions
                new Exception("secret"));
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
