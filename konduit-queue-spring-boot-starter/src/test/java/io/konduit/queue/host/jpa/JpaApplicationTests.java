package io.konduit.queue.host.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import io.konduit.queue.LeaseLostException;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.host.HostApplication;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

@Tag("S1")
class JpaApplicationTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    private final ApplicationContextRunner application = HostApplication.on(host.database())
            .withConfiguration(AutoConfigurations.of(
                    HibernateJpaAutoConfiguration.class, DataJpaRepositoriesAutoConfiguration.class))
            .withUserConfiguration(Bank.class);

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage
    @Import({Accounts.class, AccountJobs.class})
    static class Bank {}

    static class Accounts {
        private final AccountRepository repository;
        private final TaskQueue queue;

        Accounts(AccountRepository repository, TaskQueue queue) {
            this.repository = repository;
            this.queue = queue;
        }

        @Transactional
        public TaskId open(long id, String owner, boolean fail) {
            repository.save(new Account(id, owner));
            TaskId task = queue.enqueue("account.opened", owner);
            failIf(fail);
            return task;
        }

        @Transactional
        public List<TaskId> openWithKeys(long id, String owner, boolean fail) {
            repository.save(new Account(id, owner));
            List<TaskId> tasks = queue.enqueueAll(List.of(
                    TaskRequest.of("account.opened", owner).uniqueKey("a-" + id),
                    TaskRequest.of("account.opened", owner).uniqueKey("b-" + id)));
            failIf(fail);
            return tasks;
        }

        @Transactional
        public void save(long id, String owner) {
            repository.save(new Account(id, owner));
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void saveApart(long id, String owner) {
            repository.save(new Account(id, owner));
        }

        private static void failIf(boolean fail) {
            if (fail) {
                throw new IllegalStateException("refused");
            }
        }
    }

    static class AccountJobs {
        final Queue<Object> seen = new ConcurrentLinkedQueue<>();
        private final Accounts accounts;

        AccountJobs(Accounts accounts) {
            this.accounts = accounts;
        }

        @JobHandler("account.opened")
        void opened(String owner) {
            seen.add(owner);
        }

        @JobHandler("account.lose-lease")
        void loseLease(TaskContext task) {
            host.reclaim(task.id());
            try {
                accounts.save(1, "zombie");
            } catch (RuntimeException e) {
                seen.add(e);
            }
        }

        @JobHandler(value = "account.exactly-once", transactional = true, maxAttempts = 2)
        void exactlyOnce(TaskContext task) {
            accounts.save(task.attempt(), "attempt " + task.attempt());
            if (task.attempt() == 1) {
                throw new IllegalStateException("the first attempt fails");
            }
        }

        @JobHandler(value = "account.exactly-once-lost", transactional = true)
        void exactlyOnceLost(TaskContext task) {
            accounts.save(1, "zombie");
            host.reclaim(task.id());
        }

        @JobHandler(value = "account.checkpoint", transactional = true)
        void checkpoint(TaskContext task) {
            task.checkpoint("half");
            accounts.saveApart(1, "apart");
            accounts.save(2, "within");
        }
    }

    @Test
    void enqueueIsCommittedWithTheEntity() {
        application.run(context -> {
            assertThat(context.getBean(PlatformTransactionManager.class)).isInstanceOf(JpaTransactionManager.class);
            TaskId task = context.getBean(Accounts.class).open(1, "Ada", false);
            host.awaitStatus(task, "COMPLETED");
            assertThat(context.getBean(AccountJobs.class).seen).containsExactly("Ada");
            assertThat(host.accounts()).containsExactly("Ada");
        });
    }

    @Test
    void enqueueDisappearsWhenTheEntityIsRolledBack() {
        application.run(context -> {
            Accounts accounts = context.getBean(Accounts.class);
            assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> accounts.open(1, "Ada", true));
            assertNothingIsLeft();
        });
    }

    @Test
    void enqueueOfManyWithUniqueKeysIsPartOfTheTransactionToo() {
        application.run(context -> {
            Accounts accounts = context.getBean(Accounts.class);
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> accounts.openWithKeys(1, "Ada", true));
            assertNothingIsLeft();
            accounts.openWithKeys(1, "Ada", false).forEach(task -> host.awaitStatus(task, "COMPLETED"));
            assertThat(host.accounts()).containsExactly("Ada");
        });
    }

    @Test
    @Tag("F3")
    void aWriteOfAHandlerThatLostItsLeaseIsRolledBack() {
        application.run(context -> {
            AccountJobs jobs = context.getBean(AccountJobs.class);
            TaskId task = context.getBean(TaskQueue.class).enqueue("account.lose-lease", null);
            await().untilAsserted(() -> assertThat(jobs.seen).singleElement().isInstanceOf(LeaseLostException.class));
            assertThat(host.accounts()).isEmpty();
            assertThat(host.status(task)).isEqualTo("PENDING");
        });
    }

    @Test
    @Tag("F4")
    void aTransactionalHandlerWritesExactlyOnceOverItsAttempts() {
        application.run(context -> {
            TaskId task = context.getBean(TaskQueue.class).enqueue("account.exactly-once", null);
            host.awaitStatus(task, "COMPLETED");
            assertThat(host.accounts()).containsExactly("attempt 2");
        });
    }

    @Test
    @Tag("F4")
    void aTransactionalHandlerThatLostItsLeaseWritesNothing() {
        application.run(context -> {
            TaskId task = context.getBean(TaskQueue.class).enqueue("account.exactly-once-lost", null);
            await().untilAsserted(() -> assertThat(host.lateOutcomes(task)).containsExactly("FAILED"));
            assertThat(host.status(task)).isEqualTo("PENDING");
            assertThat(host.accounts()).isEmpty();
        });
    }

    @Test
    @Tag("F3")
    void aCheckpointDoesNotKeepATransactionOfItsOwnWaiting() {
        application.run(context -> {
            TaskId task = context.getBean(TaskQueue.class).enqueue("account.checkpoint", null);
            host.awaitStatus(task, "COMPLETED");
            assertThat(host.accounts()).containsExactly("apart", "within");
        });
    }

    private static void assertNothingIsLeft() {
        assertThat(host.accounts()).isEmpty();
        assertThat(host.tasks()).isZero();
    }
}
