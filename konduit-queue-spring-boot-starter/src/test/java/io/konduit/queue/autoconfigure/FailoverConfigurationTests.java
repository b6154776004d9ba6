package io.konduit.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.TaskQueue;
import io.konduit.queue.event.DatabaseWentBack;
import io.konduit.queue.failover.FailoverGuard;
import io.konduit.queue.failover.FailoverSettings;
import io.konduit.queue.failover.FailoverWatch;
import io.konduit.queue.host.HostApplication;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.JdbcTemplate;

/** A whole application notices that its database has lost commits. */
@Tag("X27")
class FailoverConfigurationTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    private final ApplicationContextRunner application = host.plainJdbc()
            .withUserConfiguration(Losses.class)
            .withPropertyValues("konduit.queue.worker.heartbeat-interval=200ms", "konduit.queue.worker.queues=served");

    static class Losses {
        private final List<DatabaseWentBack> heard = new CopyOnWriteArrayList<>();

        @EventListener
        void wentBack(DatabaseWentBack loss) {
            heard.add(loss);
        }
    }

    @Test
    void aWorkerNoticesByItsBeatsAndPausesItsQueuesWhenAsked() {
        application
                .withPropertyValues("konduit.queue.failover.pause-queues=true")
                .run(context -> {
                    assertThat(context).doesNotHaveBean(FailoverWatch.class);
                    noticesTheLossOfATask(context);
                    assertThat(heard(context)).singleElement().satisfies(loss -> assertThat(loss.pausedQueues())
                            .containsExactly("served"));
                });
    }

    @Test
    void anInstanceThatOnlyEnqueuesNoticesToo() {
        application
                .withPropertyValues("konduit.queue.worker.enabled=false", "konduit.queue.failover.pause-queues=true")
                .run(context -> {
                    noticesTheLossOfATask(context);
                    assertThat(heard(context)).singleElement().satisfies(loss -> assertThat(loss.pausedQueues())
                            .as("it serves none")
                            .isEmpty());
                });
    }

    @Test
    void anInstanceWithChoresOnlyNoticesByItsBeats() {
        application
                .withPropertyValues(
                        "konduit.queue.worker.enabled=false",
                        "konduit.queue.chores.enabled=true",
                        "konduit.queue.failover.pause-queues=true")
                .run(context -> {
                    assertThat(context).doesNotHaveBean(FailoverWatch.class);
                    assertThat(context.getBean(FailoverSettings.class).beating())
                            .isTrue();
                    noticesTheLossOfATask(context);
                    assertThat(heard(context)).singleElement().satisfies(loss -> assertThat(loss.pausedQueues())
                            .as("it serves none")
                            .isEmpty());
                });
    }

    @Test
    @Timeout(40)
    void aLazyProducerStartsWithoutItsDatabase() {
        host.plainJdbc()
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .withPropertyValues(
                        "spring.datasource.url=jdbc:postgresql://localhost:1/none",
                        "spring.datasource.hikari.connection-timeout=2000",
                        "konduit.queue.worker.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void pausesNothingByDefaultAndForgetsBeforeRetentionDoes() {
        application.withPropertyValues("konduit.queue.retention.completed=1m").run(context -> {
            FailoverSettings settings = context.getBean(FailoverSettings.class);
            assertThat(settings.beating()).isTrue();
            assertThat(settings.memory()).isEqualTo(Duration.ofMinutes(1));
            assertThat(settings.queuesToPause().get()).isEmpty();
        });
    }

    @Test
    void forgetsBeforeRetentionByCountDoes() {
        application
                .withPropertyValues("konduit.queue.retention.completed-count=1000")
                .run(context -> assertThat(
                                context.getBean(FailoverSettings.class).memory())
                        .isEqualTo(Duration.ofMinutes(1)));
    }

    /** A row is deleted and the timeline goes up: what a standby that was behind looks like when it was promoted. */
    private static void noticesTheLossOfATask(ApplicationContext context) {
        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
        FailoverGuard guard = context.getBean(FailoverGuard.class);
        await().until(() -> guard.hasObserved());
        long id = context.getBean(TaskQueue.class)
                .enqueue("nobody-knows-it", null)
                .value();
        jdbc.execute("alter table konduit_task disable trigger user");
        jdbc.update("delete from konduit_task where id = ?", id);
        timeline(jdbc, 2);
        try {
            await().until(() -> !heard(context).isEmpty());
        } finally {
            timeline(jdbc, 1);
            jdbc.execute("alter table konduit_task enable trigger user");
            jdbc.execute("truncate konduit_queue, konduit_queue_audit");
        }
        assertThat(guard.lastLoss()).isEqualTo(heard(context).get(0));
        assertThat(guard.lastLoss().lostTaskIds()).singleElement().satisfies(lost -> assertThat(lost.value())
                .isEqualTo(id));
    }

    private static List<DatabaseWentBack> heard(ApplicationContext context) {
        return context.getBean(Losses.class).heard;
    }

    private static void timeline(JdbcTemplate jdbc, int number) {
        jdbc.execute("create or replace function konduit_timeline() returns bigint language plpgsql stable as"
                + " $$ begin return " + number + "; end $$");
    }
}
