package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.jdbc.ServerSessions;
import io.konduit.queue.store.ControlMessage;
import io.konduit.queue.store.NotificationChannel;
import io.konduit.queue.thread.QueueThreads;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A connection that only waits does not notice by itself that nobody is at the other end. */
@Timeout(60)
class NotificationListenerTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private static final Pattern ADDRESS = Pattern.compile("//([^:/]+):(\\d+)/");

    @Test
    void aConnectionThatDiedSilentlyIsFoundAndMadeAnew() throws Exception {
        Matcher address = ADDRESS.matcher(harness.testDatabase().jdbcUrl());
        assertThat(address.find()).isTrue();
        AtomicInteger subscriptions = new AtomicInteger();
        CopyOnWriteArrayList<String> heard = new CopyOnWriteArrayList<>();
        try (SilentNetwork network = new SilentNetwork(address.group(1), Integer.parseInt(address.group(2)));
                HikariDataSource application = harness.testDatabase().newPool(1)) {
            application.setJdbcUrl(address.replaceFirst("//localhost:" + network.port() + "/"));
            try (ControlPool pool = new ControlPool(application, 1, Duration.ofSeconds(5))) {
                NotificationListener listener = new NotificationListener(
                        new NotificationChannel(new QueueDatabase(application, pool, null)),
                        new NotificationListener.Callbacks() {
                            @Override
                            public void tasksDue(Set<String> queues) {
                                heard.addAll(queues);
                            }

                            @Override
                            public void receive(ControlMessage message) {}

                            @Override
                            public void missed() {
                                subscriptions.incrementAndGet();
                            }
                        },
                        SessionDuty.none(Duration.ofMillis(100)),
                        System::nanoTime);
                Thread thread = QueueThreads.start("listening", listener::run);
                try {
                    await().until(() -> subscriptions.get() == 1);
                    network.silence();
                    await().atMost(Duration.ofSeconds(30)).until(() -> subscriptions.get() == 2);
                    new NotificationChannel(harness.database()).send(Set.of("mail"));
                    await().until(() -> heard.contains("mail"));
                } finally {
                    listener.stop();
                    thread.join();
                }
            }
        }
    }

    /** SIGSTOP between a round trip and its reply: the reply confirms a time from before the pause. */
    @Test
    @Tag("K3")
    void aRoundTripThatAPauseOfTheProcessHasMadeOldIsRepeatedAtOnce() {
        AtomicLong nanos = new AtomicLong();
        AtomicInteger verified = new AtomicInteger();
        SessionDuty plain = SessionDuty.none(Duration.ofSeconds(1));
        SessionDuty duty = new SessionDuty() {
            @Override
            public void begun(NotificationChannel.Subscription session) {}

            @Override
            public Duration verifyAfter() {
                return plain.verifyAfter();
            }

            @Override
            public Duration patience() {
                return plain.patience();
            }

            @Override
            public void verify(NotificationChannel.Subscription session) {
                plain.verify(session);
                if (verified.incrementAndGet() == 1) {
                    nanos.addAndGet(Duration.ofSeconds(9).toNanos());
                }
            }

            @Override
            public boolean broken() {
                return false;
            }
        };
        NotificationListener listener =
                new NotificationListener(new NotificationChannel(harness.database()), new Deaf(), duty, nanos::get);
        try {
            listener.step();
            listener.step();
            assertThat(verified).hasValue(0);
            nanos.addAndGet(Duration.ofMillis(1_001).toNanos());
            listener.step();
            assertThat(verified).hasValue(2);
        } finally {
            listener.close();
        }
    }

    private static final class Deaf implements NotificationListener.Callbacks {
        @Override
        public void tasksDue(Set<String> queues) {}

        @Override
        public void receive(ControlMessage message) {}

        @Override
        public void missed() {}
    }

    @Test
    void nobodyListensInASessionThatOthersShare() {
        try (ControlPool pool =
                new ControlPool(harness.testDatabase().dataSource(), 1, Duration.ofSeconds(5), ServerSessions.SHARED)) {
            assertThat(new NotificationChannel(
                                    new QueueDatabase(harness.testDatabase().dataSource(), pool, null))
                            .canListen())
                    .isFalse();
        }
        assertThat(new NotificationChannel(harness.database()).canListen()).isTrue();
    }
}
