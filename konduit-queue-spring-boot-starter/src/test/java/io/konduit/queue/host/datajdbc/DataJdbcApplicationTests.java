package io.konduit.queue.host.datajdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.host.HostApplication;
import io.konduit.queue.host.ScriptedJobs;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.jdbc.autoconfigure.DataJdbcRepositoriesAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.jdbc.core.JdbcAggregateTemplate;
import org.springframework.data.jdbc.core.mapping.JdbcMappingContext;
import org.springframework.data.mapping.PersistentEntity;
import org.springframework.data.repository.Repository;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@Tag("S1")
class DataJdbcApplicationTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    private final ApplicationContextRunner application = host.plainJdbc()
            .withConfiguration(AutoConfigurations.of(DataJdbcRepositoriesAutoConfiguration.class))
            .withUserConfiguration(Shop.class, ScriptedJobs.class);

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage
    static class Shop {}

    @Test
    void enqueueIsCommittedWithTheAggregate() {
        application.run(context -> {
            JdbcAggregateTemplate aggregates = context.getBean(JdbcAggregateTemplate.class);
            TaskQueue queue = context.getBean(TaskQueue.class);
            TaskId task = new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).execute(status -> {
                aggregates.insert(new Customer(1L, "Ada"));
                return queue.enqueue("scripted", null);
            });
            host.awaitStatus(task, "COMPLETED");
            assertThat(context.getBean(CustomerRepository.class).findAll()).containsExactly(new Customer(1L, "Ada"));
        });
    }

    @Test
    void enqueueDisappearsWhenTheAggregateIsRolledBack() {
        application.run(context -> {
            JdbcAggregateTemplate aggregates = context.getBean(JdbcAggregateTemplate.class);
            TaskQueue queue = context.getBean(TaskQueue.class);
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                            .executeWithoutResult(status -> {
                                aggregates.insert(new Customer(1L, "Ada"));
                                queue.enqueue("scripted", null);
                                throw new IllegalStateException("refused");
                            }));
            assertThat(host.accounts()).isEmpty();
            assertThat(host.tasks()).isZero();
        });
    }

    @Test
    @Tag("F3")
    void aRepositoryInsideAHandlerThatLostItsLeaseWritesNothing() {
        application.run(context -> {
            CustomerRepository customers = context.getBean(CustomerRepository.class);
            ScriptedJobs jobs = context.getBean(ScriptedJobs.class);
            host.database().execute("insert into account values (1, 'Ada')");
            jobs.will(task -> {
                host.reclaim(task.id());
                customers.save(new Customer(1L, "zombie"));
            });
            TaskId task = context.getBean(TaskQueue.class).enqueue("scripted", null);
            await().untilAsserted(() -> assertThat(host.lateOutcomes(task)).containsExactly("FAILED"));
            assertThat(host.accounts()).containsExactly("Ada");
        });
    }

    @Test
    @Tag("S2")
    void theApplicationsMappingAndRepositoriesAreItsOwn() {
        application.run(context -> {
            TaskQueue queue = context.getBean(TaskQueue.class);
            assertThat(queue.find(queue.enqueue("scripted", null))).isPresent();
            assertThat(context.getBeanNamesForType(Repository.class)).containsExactly("customerRepository");
            assertThat(context).hasSingleBean(JdbcMappingContext.class);
            assertThat(context.getBean(JdbcMappingContext.class).getPersistentEntities())
                    .extracting(PersistentEntity::getType)
                    .noneMatch(type -> type.getName().startsWith("io.konduit.queue.store.")
                            || type.getName().startsWith("io.konduit.queue.review."));
        });
    }
}
