package io.konduit.queue.testing.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.konduit.queue.TaskQueue;
import io.konduit.queue.testing.CrashEverywhere;
import io.konduit.queue.testing.CrashReport;
import io.konduit.queue.testing.CrashReport.CrashRun;
import io.konduit.queue.testing.CrashReport.Verdict;
import io.konduit.queue.testing.KonduitQueueTest;
import io.konduit.queue.testing.ManualWorker;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;

@KonduitQueueTest
@Tag("Q3")
class CrashEverywhereTests {
    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({ShopDatabase.class, Shop.class})
    static class Application {}

    @Autowired
    private ManualWorker worker;

    @Autowired
    private Shop shop;

    @Autowired
    private TaskQueue queue;

    @Autowired
    private JdbcClient jdbc;

    @BeforeEach
    void startAfresh() {
        jdbc.sql("create table if not exists effect (name text)").update();
        jdbc.sql("create table if not exists seen (key text primary key)").update();
        jdbc.sql("truncate effect, seen").update();
        shop.calls.set(0);
    }

    private CrashEverywhere crash(String type, @Nullable Object payload) {
        return CrashEverywhere.of(worker)
                .task(type, payload)
                .endState("select name from effect")
                .endState("mails", () -> shop.mails)
                .reset(shop.mails::clear);
    }

    private CrashReport report(String type, @Nullable Object payload) {
        return crash(type, payload).run();
    }

    /** Those that do not end as they should. */
    private static List<String> wrong(CrashReport report) {
        return report.runs().stream()
                .filter(run -> !run.verdict().isFine())
                .map(CrashEverywhereTests::text)
                .toList();
    }

    private static List<String> all(CrashReport report) {
        return report.runs().stream().map(CrashEverywhereTests::text).toList();
    }

    /** Without the lines of the source, which change. */
    private static String text(CrashRun run) {
        return run.fate() + " " + run.point().replaceFirst(" \\(.*", "") + ": " + run.verdict();
    }

    @Test
    void progressThatCommitsWithItsCheckpointEndsTheSameEverywhere() {
        CrashReport report = report("rows-with-checkpoints", 2);
        assertThat(all(report))
                .containsExactly(
                        "ZOMBIE at the start: SAME_END",
                        "DEATH at the start: SAME_END",
                        "ZOMBIE before checkpoint 1: SAME_END",
                        "DEATH after checkpoint 1: SAME_END",
                        "ZOMBIE before commit 1: PROTECTED",
                        "DEATH after commit 1: SAME_END",
                        "ZOMBIE before checkpoint 2: SAME_END",
                        "DEATH after checkpoint 2: SAME_END",
                        "ZOMBIE before commit 2: PROTECTED",
                        "DEATH after commit 2: SAME_END",
                        "ZOMBIE before the completion: SAME_END",
                        "DEATH before the completion: SAME_END",
                        "DEATH after the completion: SAME_END");
        assertThat(report.assertSameEnd()).isSameAs(report);
        assertThat(report.toString())
                .startsWith(
                        "Task 'rows-with-checkpoints' ends the same wherever its worker dies: 7 deaths and 6 zombies.\n\nzombie at the start: same end\ndies at the start: same end\n");
    }

    @Test
    void effectThatCommitsBeforeItsCheckpointIsDoubled() {
        CrashReport report = report("forgets-between-transactions", null);
        assertThat(wrong(report))
                .containsExactly(
                        "DEATH after commit 1: DIFFERENT_END",
                        "ZOMBIE before checkpoint 1: DIFFERENT_END",
                        "DEATH after checkpoint 1: DIFFERENT_END");
    }

    @Test
    void reportNamesThePointAndTheDifference() {
        CrashReport report = report("forgets-between-transactions", null);
        String text = report.toString().replaceAll("Shop.java:\\d+", "Shop.java:0");
        assertThat(text).isEqualTo("""
                Task 'forgets-between-transactions' does not end the same wherever its worker dies: 3 of 6 deaths and 5 zombies.

                dies after commit 1 (Shop.java:0): different end
                  select name from effect
                    unexpected: {"name": "paid"}

                zombie before checkpoint 1 (Shop.java:0): different end
                  select name from effect
                    unexpected: {"name": "paid"}

                dies after checkpoint 1 (Shop.java:0): different end
                  select name from effect
                    unexpected: {"name": "paid"}

                zombie at the start: same end
                dies at the start: same end
                zombie before commit 1 (Shop.java:0): same end
                zombie before commit 2 (Shop.java:0): same end; its transaction holds the task, so it is not taken away
                dies after commit 2 (Shop.java:0): same end
                zombie before the completion: same end
                dies before the completion: same end
                dies after the completion: same end""");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(report::assertSameEnd)
                .withMessage(report.toString());
    }

    @Test
    void checkpointBeforeItsEffectLosesTheEffect() {
        assertThat(wrong(report("checkpoint-too-early", null)))
                .containsExactly("DEATH after checkpoint 1: DIFFERENT_END", "ZOMBIE before commit 1: DIFFERENT_END");
    }

    @Test
    void effectOutsideTheDatabaseIsRepeatedFromItsNamedPointOn() {
        assertThat(wrong(report("sends-before-it-notes", "Ada")))
                .containsExactly("DEATH at 'mail sent': DIFFERENT_END", "ZOMBIE before commit 2: DIFFERENT_END");
    }

    @Test
    void effectWithoutAnyNoteIsRepeatedBeforeTheCompletion() {
        CrashReport report = report("leaves-all-to-the-completion", "Ada");
        assertThat(all(report))
                .containsExactly(
                        "ZOMBIE at the start: DIFFERENT_END",
                        "DEATH at the start: SAME_END",
                        "ZOMBIE before the completion: DIFFERENT_END",
                        "DEATH before the completion: DIFFERENT_END",
                        "DEATH after the completion: SAME_END");
    }

    @Test
    void statementsOutsideTransactionsAreCommitsOfTheirOwn() {
        CrashReport report = report("statements-of-their-own", "row");
        assertThat(wrong(report))
                .contains("DEATH after commit 2: DIFFERENT_END")
                .doesNotContain("DEATH after commit 1: DIFFERENT_END", "DEATH after commit 3: DIFFERENT_END");
        assertThat(report.toString())
                .contains("dies after commit 2 (insert into effect values (?), Shop.java:")
                .contains("missing: {\"name\": \"row 2\"}");
    }

    @Test
    void workThatIsSkippedAfterACrashIsMissingFromTheStartOn() {
        assertThat(wrong(report("skips-when-recovering", null)))
                .containsExactly(
                        "ZOMBIE at the start: DIFFERENT_END",
                        "DEATH at the start: DIFFERENT_END",
                        "ZOMBIE before commit 1: DIFFERENT_END");
    }

    @Test
    void zombieThatWritesOutsideTransactionsIsNotRefused() {
        assertThat(wrong(report("clears-and-fills", "row"))).containsExactly("ZOMBIE before commit 2: DIFFERENT_END");
    }

    @Test
    void runThatWaitsForALockOfTheZombieIsNotADeadlock() {
        CrashReport report = report("once-by-key", "order 7");
        assertThat(all(report)).contains("ZOMBIE before commit 1: SAME_END");
        report.assertSameEnd();
    }

    @Test
    void transactionalHandlerEndsTheSameEverywhere() {
        CrashReport report = report("transactional", "order 7").assertSameEnd();
        assertThat(all(report))
                .containsExactly(
                        "ZOMBIE at the start: SAME_END",
                        "DEATH at the start: SAME_END",
                        "ZOMBIE before the completion: SAME_END",
                        "DEATH before the completion: SAME_END",
                        "ZOMBIE before commit 1: PROTECTED",
                        "DEATH after commit 1: SAME_END",
                        "DEATH after the completion: SAME_END");
    }

    @Test
    void taskThatMustNotRunTwiceIsHeld() {
        CrashReport report = report("once-only", "payment").assertSameEnd();
        assertThat(all(report))
                .containsExactly(
                        "ZOMBIE at the start: HELD",
                        "DEATH at the start: HELD",
                        "ZOMBIE before commit 1: HELD",
                        "DEATH after commit 1: HELD",
                        "ZOMBIE before the completion: HELD",
                        "DEATH before the completion: HELD",
                        "DEATH after the completion: SAME_END");
        assertThat(report.toString())
                .startsWith(
                        "Task 'once-only' ends the same wherever its worker dies: 4 deaths and 3 zombies, 6 of them held for a person.");
    }

    @Test
    void snoozedTaskIsRunOnUntilItEnds() {
        assertThat(all(report("snoozes-once", null)))
                .contains(
                        "DEATH before the snooze: SAME_END",
                        "DEATH after the snooze: SAME_END",
                        "DEATH at the start of run 2: SAME_END",
                        "DEATH before the completion of run 2: SAME_END")
                .doesNotContain("DEATH after commit 1: DIFFERENT_END");
    }

    @Test
    void workOfAFutureIsWatchedOnItsThread() {
        CrashReport report = report("asynchronous", "row");
        assertThat(all(report)).contains("DEATH after commit 1: SAME_END", "ZOMBIE before commit 1: SAME_END");
        report.assertSameEnd();
    }

    @Test
    void deathOfAnotherThreadEndsTheTransactionsOfAll() {
        CrashReport report = report("asks-another-thread", "row");
        assertThat(all(report)).contains("DEATH at 'asked': SAME_END");
        report.assertSameEnd();
    }

    @Test
    void deadSessionLosesItsLocks() {
        report("locks-its-session", "row").assertSameEnd();
    }

    @Test
    void followUpsOutsideTheTransactionAreDoubled() {
        CrashReport report = report("enqueues-by-itself", "row");
        assertThat(wrong(report)).contains("DEATH after commit 1: DIFFERENT_END");
        assertThat(report.toString())
                .contains(
                        "tasks that the handler enqueued\n    missing: follow-up PENDING, 1\n    unexpected: follow-up PENDING, 2");
    }

    @Test
    void handlerThatCatchesItsDeathIsNoticed() {
        CrashReport report = report("catches-everything", "row");
        assertThat(wrong(report)).contains("DEATH after commit 1: DEATH_CAUGHT");
        assertThat(report.toString())
                .contains(
                        ": the handler caught its death\n  It returned as if nothing had happened. A dead process does nothing more, so this run shows nothing. Let Errors pass: catch Exception, not Throwable.");
    }

    @Test
    void handlerThatGoesAnotherWayIsNoticed() {
        CrashReport report = report("goes-another-way", "row");
        assertThat(report.runs()).anySatisfy(run -> {
            assertThat(run.verdict()).isEqualTo(Verdict.OTHER_WAY);
            assertThat(run.details().toString()).contains("Make its order of steps the same in every run.");
        });
        assertThat(report.isSameEnd()).isFalse();
    }

    @Test
    void endThatDiffersWithoutACrashIsRefused() {
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> report("never-ends-the-same", null))
                .withMessageStartingWith("Two undisturbed runs of 'never-ends-the-same' do not end the same")
                .withMessageContaining("missing: {\"name\": \"call 1\"}\n    unexpected: {\"name\": \"call 2\"}");
    }

    @Test
    void taskThatFailsWithoutACrashIsRefused() {
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> report("fails", null))
                .withMessageStartingWith("Expected an undisturbed run to complete 'fails', but it is FAILED.");
    }

    @Test
    void databaseIsLeftAsItWas() {
        jdbc.sql("insert into effect values ('before')").update();
        long tasks = count("konduit_tasks") + count("konduit_task_incident");
        report("clears-and-fills", "row");
        assertThat(jdbc.sql("select name from effect").query(String.class).list())
                .containsExactly("before");
        assertThat(count("konduit_tasks") + count("konduit_task_incident")).isEqualTo(tasks);
    }

    private long count(String table) {
        return jdbc.sql("select count(*) from " + table).query(Long.class).single();
    }

    @Test
    void taskMayBeEnqueuedByTheApplication() {
        CrashEverywhere.of(worker)
                .enqueuedBy(() -> queue.enqueue("once-by-key", "order 7"))
                .endStateOfTables("effect", "seen")
                .run()
                .assertSameEnd();
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> CrashEverywhere.of(worker)
                        .enqueuedBy(() -> {})
                        .endStateOfTables("effect")
                        .run())
                .withMessage("Expected one task to be enqueued and committed, but there are 0.");
    }

    @Test
    void livingWorkersAreNotDisturbed() {
        jdbc.sql("""
                insert into konduit_worker (id, name, status, host, pid, version, queues, concurrency, started_at, last_beat_at)
                values (gen_random_uuid(), 'shop', 'ACTIVE', 'web-1', 42, '1', '{default}', 10, now(), now())""").update();
        try {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> report("clears-and-fills", "row"))
                    .withMessageContaining("shop on web-1 (process 42)")
                    .withMessageContaining("Set 'konduit.queue.worker.enabled=false'");
        } finally {
            jdbc.sql("delete from konduit_worker").update();
        }
    }

    @Test
    void saysWhatIsMissing() {
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> CrashEverywhere.of(worker).run())
                .withMessageStartingWith("Expected a task:");
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> CrashEverywhere.of(worker).task("a", 1).run())
                .withMessageStartingWith("Expected an end state to compare:");
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> report("unknown", 1))
                .withMessageContaining("No handler of this application has the type 'unknown'.");
    }
}
