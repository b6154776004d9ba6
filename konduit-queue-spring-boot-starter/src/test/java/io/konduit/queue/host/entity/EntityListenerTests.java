package io.konduit.queue.host.entity;

import static io.konduit.queue.host.Transactions.required;
import static io.konduit.queue.host.Transactions.requiresNew;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.host.HostApplication;
import io.konduit.queue.host.ScriptedJobs;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.SharedEntityManagerCreator;

/** Entity listeners are called while Hibernate writes inside the commit: their transaction has not ended. */
@Timeout(60)
class EntityListenerTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    @AfterEach
    void hearNothing() {
        Note.whenWritten = () -> {};
    }

    private static ApplicationContextRunner application() {
        return HostApplication.on(host.database())
                .withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class))
                .withUserConfiguration(Entities.class, ScriptedJobs.class);
    }

    private static ApplicationContextRunner producer() {
        return application().withPropertyValues("konduit.queue.worker.enabled=false");
    }

    @Test
    @Tag("S1")
    void whatAnEntityListenerEnqueuesIsRolledBackWithTheEntity() {
        producer().run(context -> {
            TaskQueue queue = context.getBean(TaskQueue.class);
            List<TaskId> ids = new ArrayList<>();
            write(context, 7, "taken");
            Note.whenWritten = () -> ids.add(queue.enqueue("scripted", null));
            EntityManager entities = entities(context);
            Throwable failure = catchThrowable(() -> required(context).executeWithoutResult(status -> {
                entities.persist(new Note(6, "new"));
                entities.persist(new Note(7, "the key is taken"));
            }));
            assertThat(failure).isNotNull();
            assertThat(ids).isNotEmpty();
            assertThat(host.accounts()).containsExactly("taken");
            assertThat(host.tasks())
                    .as("tasks of a transaction that was rolled back")
                    .isZero();
        });
    }

    @Test
    @Tag("S1")
    void aTaskOfAnEntityListenerIsNotSeenBeforeItsEntity() {
        producer().run(context -> {
            TaskQueue queue = context.getBean(TaskQueue.class);
            List<String> seen = new ArrayList<>();
            Note.whenWritten = () -> {
                TaskId id = queue.enqueue("scripted", null);
                seen.add(host.status(id) + " " + host.accounts());
            };
            EntityManager entities = entities(context);
            required(context).executeWithoutResult(status -> entities.persist(new Note(6, "new")));
            assertThat(seen).containsExactly("GONE []");
            assertThat(host.tasks()).isEqualTo(1);
        });
    }

    @Test
    @Tag("S1")
    void anEntityListenerThatEnqueuesNeedsNoSecondConnection() {
        producer()
                .withPropertyValues(
                        "spring.datasource.hikari.maximum-pool-size=1",
                        "spring.datasource.hikari.connection-timeout=1000")
                .run(context -> {
                    TaskQueue queue = context.getBean(TaskQueue.class);
                    Note.whenWritten = () -> queue.enqueue("scripted", null);
                    EntityManager entities = entities(context);
                    required(context).executeWithoutResult(status -> entities.persist(new Note(6, "new")));
                    assertThat(host.tasks()).isEqualTo(1);
                });
    }

    @Test
    @Tag("F3")
    void newTransactionOfAnEntityListenerDoesNotWaitForItsOwnCheckpoint() {
        application().run(context -> {
            ScriptedJobs jobs = context.getBean(ScriptedJobs.class);
            EntityManager entities = entities(context);
            Note.whenWritten = () -> requiresNew(context).executeWithoutResult(status -> write(context, 99, "audit"));
            jobs.will(task -> required(context).executeWithoutResult(status -> {
                task.checkpoint("half");
                entities.persist(new Note(6, "new"));
            }));
            TaskId task = context.getBean(TaskQueue.class).enqueue("scripted", null);
            try {
                assertThat(jobs.awaitEnd()).isNull();
                host.awaitStatus(task, "COMPLETED");
                assertThat(host.accounts()).containsExactly("new", "audit");
            } finally {
                host.endWaits();
            }
        });
    }

    private static EntityManager entities(AssertableApplicationContext context) {
        return SharedEntityManagerCreator.createSharedEntityManager(context.getBean(EntityManagerFactory.class));
    }

    private static void write(AssertableApplicationContext context, long id, String owner) {
        new JdbcTemplate(context.getBean(HikariDataSource.class))
                .update("insert into account (id, owner) values (?, ?)", id, owner);
    }

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage
    static class Entities {}
}
