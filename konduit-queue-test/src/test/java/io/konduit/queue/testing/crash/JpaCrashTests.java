package io.konduit.queue.testing.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskContext;
import io.konduit.queue.testing.CrashEverywhere;
import io.konduit.queue.testing.CrashReport;
import io.konduit.queue.testing.KonduitQueueTest;
import io.konduit.queue.testing.ManualWorker;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** S1: the transactions of JPA are points of death like others. */
@KonduitQueueTest(properties = {"spring.autoconfigure.exclude=", "spring.jpa.hibernate.ddl-auto=create"})
@Tag("Q3")
class JpaCrashTests {
    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({ShopDatabase.class, Stock.class})
    static class Application {}

    @Entity(name = "item")
    static class Item {
        @Id
        @GeneratedValue
        Long id;

        String name;

        protected Item() {}

        Item(String name) {
            this.name = name;
        }
    }

    static class Stock {
        private final EntityManager entities;
        private final TransactionTemplate transaction;

        Stock(EntityManager entities, PlatformTransactionManager transactions) {
            this.entities = entities;
            this.transaction = new TransactionTemplate(transactions);
        }

        /** The commit is the last thing that this handler does: nothing tells the next run of it. */
        @JobHandler("stores-again")
        @Transactional
        public void storesAgain(String name) {
            entities.persist(new Item(name));
        }

        @JobHandler("stores-with-checkpoints")
        void storesWithCheckpoints(int items, TaskContext task) {
            for (int i = task.lastCheckpoint(Integer.class).orElse(0); i < items; i++) {
                int item = i + 1;
                transaction.executeWithoutResult(status -> {
                    entities.persist(new Item("item " + item));
                    task.checkpoint(item);
                });
            }
        }
    }

    @Autowired
    private ManualWorker worker;

    private CrashReport report(String type, Object payload) {
        return CrashEverywhere.of(worker)
                .task(type, payload)
                .endState("select name from item")
                .run();
    }

    @Test
    void entitiesThatCommitWithACheckpointAreStoredOnce() {
        CrashReport report = report("stores-with-checkpoints", 3).assertSameEnd();
        assertThat(report.runs()).extracting(run -> run.point()).anyMatch(point -> point.startsWith("after commit 3"));
    }

    @Test
    void transactionalMethodWithoutANoteStoresTwice() {
        CrashReport report = report("stores-again", "item");
        assertThat(report.runs())
                .filteredOn(run -> !run.verdict().isFine())
                .extracting(run -> run.fate() + " " + run.point())
                .containsExactly("DEATH after commit 1", "ZOMBIE before the completion", "DEATH before the completion");
    }
}
