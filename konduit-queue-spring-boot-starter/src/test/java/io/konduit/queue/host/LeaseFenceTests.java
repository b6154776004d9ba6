package io.konduit.queue.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.LeaseLostException;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionTemplate;

/** What a handler writes in Spring's transactions is committed only while its lease is held. */
@Tag("F3")
class LeaseFenceTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    private final ApplicationContextRunner application = host.plainJdbc().withUserConfiguration(ScriptedJobs.class);

    /** The application's means, as a handler has them. */
    private record Means(TaskQueue queue, ScriptedJobs jobs, JdbcClient jdbc, PlatformTransactionManager manager) {
        TransactionTemplate transaction(int propagation) {
            TransactionTemplate template = new TransactionTemplate(manager);
            template.setPropagationBehavior(propagation);
            return template;
        }

        TransactionTemplate required() {
            return transaction(TransactionDefinition.PROPAGATION_REQUIRED);
        }

        TransactionTemplate requiresNew() {
            return transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        }

        TransactionTemplate nested() {
            return transaction(TransactionDefinition.PROPAGATION_NESTED);
        }

        int backend() {
            return jdbc.sql("select pg_backend_pid()").query(Integer.class).single();
        }

        void write(long id, String owner) {
            jdbc.sql("insert into account (id, owner) values (?, ?)")
                    .params(id, owner)
                    .update();
        }
    }

    private interface Scenario {
        void play(Means means) throws Exception;
    }

    private void play(Scenario scenario) {
        play(application, scenario);
    }

    private static void play(ApplicationContextRunner application, Scenario scenario) {
        application.run(context -> scenario.play(new Means(
                context.getBean(TaskQueue.class),
                context.getBean(ScriptedJobs.class),
                context.getBean(JdbcClient.class),
                context.getBean(PlatformTransactionManager.class))));
    }

    @Test
    void commitsWhileTheLeaseIsHeld() {
        play(means -> {
            means.jobs().will(task -> means.required().executeWithoutResult(status -> means.write(1, "held")));
            host.awaitStatus(means.queue().enqueue("scripted", null), "COMPLETED");
            assertThat(host.accounts()).containsExactly("held");
        });
    }

    @Test
    void rollsBackWhenTheLeaseIsLost() {
        play(LeaseFenceTests::loseTheLeaseInATransaction);
    }

    @Test
    @Tag("S6")
    void rollsBackAlsoOnAVirtualThread() {
        play(
                application.withPropertyValues("spring.threads.virtual.enabled=true"),
                LeaseFenceTests::loseTheLeaseInATransaction);
    }

    @Test
    void theConnectionOutlivesTheRollback() {
        play(
                application.withPropertyValues(
                        "spring.threads.virtual.enabled=true", "spring.datasource.hikari.maximum-pool-size=1"),
                means -> {
                    List<Integer> backends = new CopyOnWriteArrayList<>();
                    means.jobs().will(task -> {
                        means.required().executeWithoutResult(status -> backends.add(means.backend()));
                        host.reclaim(task.id());
                        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> means.required()
                                .executeWithoutResult(status -> means.write(1, "zombie")));
                        backends.add(means.backend());
                    });
                    means.queue().enqueue("scripted", null);
                    assertThat(means.jobs().awaitEnd()).isNull();
                    assertThat(backends).hasSize(2).containsOnly(backends.get(0));
                });
    }

    @Test
    void rollsBackAlsoInAnApplicationThatMakesItsBeansLazily() {
        play(
                application.withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor())),
                LeaseFenceTests::loseTheLeaseInATransaction);
    }

    private static void loseTheLeaseInATransaction(Means means) throws InterruptedException {
        means.jobs().will(task -> means.required().executeWithoutResult(status -> {
            means.write(1, "zombie");
            host.reclaim(task.id());
        }));
        TaskId task = means.queue().enqueue("scripted", null);
        assertThat(means.jobs().awaitEnd())
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("was lost before its transaction could commit: it is rolled back");
        assertThat(host.accounts()).isEmpty();
        await().untilAsserted(() -> assertThat(host.lateOutcomes(task)).containsExactly("FAILED"));
        assertThat(host.status(task)).isEqualTo("PENDING");
    }

    @Test
    void aHandlerThatSwallowsTheErrorIsNotCompletedAllTheSame() {
        play(means -> {
            means.jobs().will(task -> {
                host.reclaim(task.id());
                assertThatExceptionOfType(LeaseLostException.class)
                        .isThrownBy(() -> means.required().executeWithoutResult(status -> means.write(1, "zombie")));
            });
            TaskId task = means.queue().enqueue("scripted", null);
            assertThat(means.jobs().awaitEnd()).isNull();
            await().untilAsserted(() -> assertThat(host.lateOutcomes(task)).containsExactly("COMPLETED"));
            assertThat(host.status(task)).isEqualTo("PENDING");
            assertThat(host.accounts()).isEmpty();
        });
    }

    @Test
    void aNewTransactionInsideAnotherIsCheckedByItself() {
        play(means -> {
            means.jobs().will(task -> means.required().executeWithoutResult(outer -> {
                means.write(1, "outer");
                means.requiresNew().executeWithoutResult(inner -> means.write(2, "before"));
                host.reclaim(task.id());
                means.requiresNew().executeWithoutResult(inner -> means.write(3, "after"));
            }));
            means.queue().enqueue("scripted", null);
            assertThat(means.jobs().awaitEnd()).isInstanceOf(LeaseLostException.class);
            assertThat(host.accounts()).containsExactly("before");
        });
    }

    @Test
    void aReadOnlyTransactionIsLeftAlone() {
        play(means -> {
            TransactionTemplate readOnly = means.required();
            readOnly.setReadOnly(true);
            means.jobs().will(task -> {
                host.reclaim(task.id());
                readOnly.executeWithoutResult(status ->
                        means.jdbc().sql("select 1").query(Integer.class).single());
            });
            means.queue().enqueue("scripted", null);
            assertThat(means.jobs().awaitEnd()).isNull();
        });
    }

    /** The driver leaves the server in the dark, so the transaction writes and commits. */
    @Test
    void aReadOnlyTransactionThatCanWriteIsRolledBack() {
        play(
                application.withPropertyValues("spring.datasource.hikari.data-source-properties.readOnlyMode=ignore"),
                means -> {
                    TransactionTemplate readOnly = means.required();
                    readOnly.setReadOnly(true);
                    means.jobs().will(task -> {
                        readOnly.executeWithoutResult(status -> means.write(1, "held"));
                        host.reclaim(task.id());
                        readOnly.executeWithoutResult(status -> means.write(2, "zombie"));
                    });
                    means.queue().enqueue("scripted", null);
                    assertThat(means.jobs().awaitEnd()).isInstanceOf(LeaseLostException.class);
                    assertThat(host.accounts()).containsExactly("held");
                });
    }

    @Test
    void aHandlerMethodThatIsItselfTransactionalIsRolledBack() {
        play(means -> {
            means.jobs().will(task -> {
                means.write(1, "zombie");
                host.reclaim(task.id());
            });
            TaskId task = means.queue().enqueue("scripted.annotated", null);
            await().untilAsserted(() -> assertThat(host.lateOutcomes(task)).containsExactly("FAILED"));
            assertThat(host.accounts()).isEmpty();
        });
    }

    @Test
    @Tag("F4")
    void aTransactionalHandlerThatLostItsLeaseIsRolledBackAsAWhole() {
        play(means -> {
            means.jobs().will(task -> {
                means.write(1, "zombie");
                host.reclaim(task.id());
            });
            TaskId task = means.queue().enqueue("scripted.transactional", null);
            await().untilAsserted(() -> assertThat(host.lateOutcomes(task)).containsExactly("FAILED"));
            assertThat(host.accounts()).isEmpty();
            assertThat(host.status(task)).isEqualTo("PENDING");
        });
    }

    @Test
    void theEndOfANestedTransactionTakesNoLockOnTheTask() {
        play(means -> {
            means.jobs().will(task -> means.required().executeWithoutResult(outer -> {
                means.nested().executeWithoutResult(inner -> means.write(1, "nested"));
                lockWithoutWaiting(task);
            }));
            TaskId task = means.queue().enqueue("scripted", null);
            assertThat(means.jobs().awaitEnd()).isNull();
            host.awaitStatus(task, "COMPLETED");
            assertThat(host.accounts()).containsExactly("nested");
        });
    }

    @Test
    void aNestedTransactionIsRolledBackWithTheOuterOne() {
        play(means -> {
            means.jobs().will(task -> means.required().executeWithoutResult(outer -> {
                host.reclaim(task.id());
                means.nested().executeWithoutResult(inner -> means.write(1, "nested"));
            }));
            means.queue().enqueue("scripted", null);
            assertThat(means.jobs().awaitEnd()).isInstanceOf(LeaseLostException.class);
            assertThat(host.accounts()).isEmpty();
        });
    }

    @Test
    void aTransactionMarkedForRollbackIsNotAskedForItsLease() {
        play(means -> {
            means.jobs().will(task -> means.required().executeWithoutResult(outer -> {
                host.reclaim(task.id());
                means.required().executeWithoutResult(inner -> inner.setRollbackOnly());
            }));
            means.queue().enqueue("scripted", null);
            assertThat(means.jobs().awaitEnd()).isInstanceOf(UnexpectedRollbackException.class);
        });
    }

    /** Fails at once when anybody has locked the task's row. */
    private static void lockWithoutWaiting(TaskContext task) {
        host.jdbc()
                .sql("select id from konduit_task where id = :id for update nowait")
                .param("id", task.id().value())
                .query(Long.class)
                .single();
    }
}
