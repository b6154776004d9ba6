package io.konduit.queue.testing.crash;

import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.testing.CrashPoint;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Handlers that are right, and handlers with one flaw each. */
class Shop {
    final List<String> mails = new CopyOnWriteArrayList<>();
    final AtomicInteger calls = new AtomicInteger();

    private final JdbcClient jdbc;
    private final TaskQueue queue;
    private final TransactionTemplate transaction;

    Shop(JdbcClient jdbc, TaskQueue queue, PlatformTransactionManager transactions) {
        this.jdbc = jdbc;
        this.queue = queue;
        this.transaction = new TransactionTemplate(transactions);
    }

    private void insert(String name) {
        jdbc.sql("insert into effect values (:name)").param("name", name).update();
    }

    private int inserted() {
        return jdbc.sql("select count(*) from effect").query(Integer.class).single();
    }

    private void inTransaction(Runnable work) {
        transaction.executeWithoutResult(status -> work.run());
    }

    // ---- right ----

    @JobHandler("rows-with-checkpoints")
    void rowsWithCheckpoints(int rows, TaskContext task) {
        for (int i = task.lastCheckpoint(Integer.class).orElse(0); i < rows; i++) {
            int row = i + 1;
            inTransaction(() -> {
                insert("row " + row);
                task.checkpoint(row);
            });
        }
    }

    /** The second run waits for the first one's key, and takes the row if that one is refused. */
    @JobHandler("once-by-key")
    void onceByKey(String key) {
        inTransaction(() -> {
            if (jdbc.sql("insert into seen values (:key) on conflict do nothing")
                            .param("key", key)
                            .update()
                    == 1) {
                insert(key);
            }
        });
    }

    @JobHandler(value = "transactional", transactional = true)
    void transactional(String name) {
        insert(name);
        queue.enqueue("follow-up", name);
    }

    @JobHandler(value = "once-only", reapable = false)
    void onceOnly(String name) {
        mails.add(name);
        insert(name);
    }

    @JobHandler("snoozes-once")
    void snoozesOnce(TaskContext task) {
        if (task.lastCheckpoint(String.class).isEmpty()) {
            task.checkpoint("asked");
            task.snooze(Duration.ofHours(1));
        }
        jdbc.sql("delete from effect").update();
        inTransaction(() -> insert("answered"));
    }

    /** The work is on another thread, and no fence guards its transactions: the key does. */
    @JobHandler("asynchronous")
    CompletableFuture<Void> asynchronous(String name) {
        return CompletableFuture.runAsync(
                () -> jdbc.sql("insert into effect select :name where not exists (select from effect)")
                        .param("name", name)
                        .update());
    }

    @JobHandler("locks-its-session")
    void locksItsSession(String name) {
        inTransaction(() -> {
            jdbc.sql("select pg_advisory_lock(7)").query().listOfRows();
            try {
                jdbc.sql("delete from effect").update();
                insert(name);
                CrashPoint.reached("written");
            } finally {
                jdbc.sql("select pg_advisory_unlock(7)").query().listOfRows();
            }
        });
    }

    @JobHandler("asks-another-thread")
    void asksAnotherThread(String name, TaskContext task) {
        if (task.lastCheckpoint(String.class).isEmpty()) {
            inTransaction(() -> {
                insert(name);
                task.checkpoint(name);
                CompletableFuture.runAsync(() -> CrashPoint.reached("asked")).join();
            });
        }
    }

    // ---- with a flaw ----

    @JobHandler("forgets-between-transactions")
    void forgetsBetweenTransactions(TaskContext task) {
        if (task.lastCheckpoint(String.class).isEmpty()) {
            inTransaction(() -> insert("paid"));
            inTransaction(() -> task.checkpoint("paid"));
        }
    }

    @JobHandler("checkpoint-too-early")
    void checkpointTooEarly(TaskContext task) {
        if (task.lastCheckpoint(String.class).isEmpty()) {
            task.checkpoint("paid");
            inTransaction(() -> insert("paid"));
        }
    }

    @JobHandler("sends-before-it-notes")
    void sendsBeforeItNotes(String to) {
        if (inserted() == 0) {
            mails.add(to);
            CrashPoint.reached("mail sent");
            inTransaction(() -> insert(to));
        }
    }

    @JobHandler("leaves-all-to-the-completion")
    void leavesAllToTheCompletion(String to) {
        mails.add(to);
    }

    @JobHandler("statements-of-their-own")
    void statementsOfTheirOwn(String name) {
        if (inserted() == 0) {
            insert(name + " 1");
            insert(name + " 2");
        }
    }

    @JobHandler("skips-when-recovering")
    void skipsWhenRecovering(TaskContext task) {
        if (!task.recovering()) {
            inTransaction(() -> insert("done"));
        }
    }

    /** Any worker may do this again and again, but not two at a time. */
    @JobHandler("clears-and-fills")
    void clearsAndFills(String name) {
        jdbc.sql("delete from effect").update();
        insert(name);
    }

    @JobHandler("catches-everything")
    void catchesEverything(String name) {
        try {
            inTransaction(() -> insert(name));
        } catch (Throwable e) {
            mails.add("failed");
        }
    }

    @JobHandler("goes-another-way")
    void goesAnotherWay(String name) {
        if (calls.incrementAndGet() % 2 == 1) {
            CrashPoint.reached("odd");
        }
        inTransaction(() -> jdbc.sql("delete from effect").update());
    }

    @JobHandler("enqueues-by-itself")
    void enqueuesByItself(String name) {
        queue.enqueue("follow-up", name);
    }

    @JobHandler("never-ends-the-same")
    void neverEndsTheSame() {
        insert("call " + calls.incrementAndGet());
    }

    @JobHandler("fails")
    void fails() {
        throw new IllegalStateException("no");
    }

    @JobHandler("follow-up")
    void followUp(String name) {}
}
