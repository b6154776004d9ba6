package io.konduit.queue.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.QueueHarness;
import io.konduit.queue.jdbc.QueueDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NotificationChannelNameTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    @ParameterizedTest
    @ValueSource(ints = {1, 50, 51, 63})
    void notificationsArriveHoweverLongTheNameOfTheSchemaIs(int length) throws SQLException {
        NotificationChannel channel = channel("s".repeat(length));
        try (NotificationChannel.Subscription subscription = channel.subscribe()) {
            channel.send(List.of("mail"));
            assertThat(subscription.await(Duration.ofSeconds(10)).queues()).containsExactly("mail");
        }
    }

    @Test
    void queuesInTwoSchemasDoNotWakeOneAnother() throws SQLException {
        NotificationChannel one = channel("s".repeat(62) + "1");
        NotificationChannel two = channel("s".repeat(62) + "2");
        try (NotificationChannel.Subscription subscription = one.subscribe()) {
            two.send(List.of("others"));
            one.send(List.of("mine"));
            assertThat(subscription.await(Duration.ofSeconds(10)).queues()).containsExactly("mine");
        }
    }

    private static NotificationChannel channel(String schema) {
        return new NotificationChannel(new QueueDatabase(
                harness.testDatabase().dataSource(), harness.database().controlPool(), schema));
    }
}
