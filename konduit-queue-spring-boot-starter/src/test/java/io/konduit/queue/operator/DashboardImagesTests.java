package io.konduit.queue.operator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Draws the pictures of {@code docs/dashboard.md} and the README anew. Run with {@code -Dkonduit.docs.write=true}. */
@Tag("B4")
@EnabledIfSystemProperty(named = "konduit.docs.write", matches = "true")
class DashboardImagesTests {
    private static final Path FOLDER = Path.of("..", "docs", "images", "dashboard");
    private static final int WIDTH = 1280;

    @RegisterExtension
    static final Browser browser = new Browser();

    @RegisterExtension
    static final OperatedApplication operated = OperatedApplication.secured(
            List.of(DashboardBrowserTests.Security.class),
            "konduit.queue.dashboard.enabled=true",
            "konduit.queue.dashboard.allow-writes=true",
            "konduit.queue.dashboard.show-payloads=always",
            "konduit.queue.worker.enabled=false");

    private final Rows rows = operated.rows();

    @Test
    void drawsEachPageLightAndDark() throws IOException {
        Files.createDirectories(FOLDER);
        long held = fill();
        browser.size(WIDTH, 900, false);
        browser.signIn(operated.application().port(), "ada");
        beat();
        browser.open("#/", "Overview");
        for (boolean dark : new boolean[] {false, true}) {
            draw("review", "#/review", "Review inbox", dark);
            draw("tasks", "#/tasks?status=FAILED", "Tasks", dark);
            draw("task", "#/task/" + held, "payment.charge", dark);
            draw("queues", "#/queues", "Queues", dark);
            draw("workers", "#/workers", "Workers", dark);
            draw("incidents", "#/incidents", "Incidents", dark);
            draw("audit", "#/audit", "Audit", dark);
            browser.size(WIDTH, 720, dark);
            browser.open("#/tasks?status=FAILED&type=mail.welcome", "Tasks");
            browser.click("[data-key=all-retry]");
            browser.awaitText("dialog", "Dry run:");
            save("bulk", dark);
            browser.size(360, 780, dark);
            browser.open("#/review", "Review inbox");
            save("phone", dark);
            draw("overview", "#/", "Overview", dark);
        }
    }

    private void draw(String name, String page, String title, boolean dark) throws IOException {
        beat();
        browser.size(WIDTH, 420, dark);
        browser.open(page, title);
        browser.awaitText("#held", "2");
        Long height = (Long) browser.script("return document.documentElement.scrollHeight");
        browser.size(WIDTH, (int) Math.min(height, 1_150), dark);
        save(name, dark);
    }

    /** The workers are alive, and the reaper has just run. */
    private void beat() {
        sql("update konduit_worker set last_beat_at = clock_timestamp() - interval '3 s'");
        sql(
                "insert into konduit_chore (name, last_pass_at, worker) values ('reaper', clock_timestamp() - interval '12 s',"
                        + " '6f1d3a52-0c1e-4a7b-9a54-3a8f1b5d2c01') on conflict (name) do update set last_pass_at = excluded.last_pass_at");
        sql(
                "insert into konduit_task (queue, type, payload, priority, status, run_at, created_at) select 'mail', 'mail.welcome', '{}', 2, 'PENDING',"
                        + " clock_timestamp() + interval '1 h', clock_timestamp() from generate_series(1, 3)");
    }

    private static void save(String name, boolean dark) throws IOException {
        browser.script("window.scrollTo(0, 0)");
        Files.write(FOLDER.resolve(name + (dark ? "-dark" : "-light") + ".png"), browser.screenshot());
    }

    /** A shop in the middle of its day. Answers with a held task. */
    private long fill() {
        sql("""
                insert into konduit_worker (id, name, host, pid, version, application_version, queues, concurrency, status, started_at,
                       last_beat_at)
                values ('6f1d3a52-0c1e-4a7b-9a54-3a8f1b5d2c01', 'shop', 'shop-7c9d4-x2k8p', 1, '0.1.0', '2.14.0', '{mail,import,payments}', 20, 'ACTIVE',
                        clock_timestamp() - interval '3 h', clock_timestamp() - interval '3 s'),
                       ('a20b8c9e-77d1-4a0e-8f43-51c0e9d3b702', 'shop', 'shop-7c9d4-9qm4t', 1, '0.1.0', '2.14.0', '{mail,import,payments}', 20, 'ACTIVE',
                        clock_timestamp() - interval '2 h', clock_timestamp() - interval '3 s')
                """);
        sql("""
                insert into konduit_task_history (id, queue, type, payload, priority, status, run_at, attempts, max_attempts, zombie_count,
                       lease_epoch, locked_by, locked_at, created_at, finished_at)
                select nextval(pg_get_serial_sequence('konduit_task', 'id')), 'mail', (array['mail.welcome', 'mail.invoice', 'import.products'])[1 + i % 3],
                       '{}', 2, 'COMPLETED', f.at - interval '1 s', 1, 3, 0, 1, gen_random_uuid(),
                       f.at - interval '1 s' + (20 + 90 * abs(sin(i / 700.0)) + i % 40) * interval '1 ms', f.at - interval '2 s', f.at
                  from generate_series(1, 7000) i
                 cross join lateral (
                   select clock_timestamp() - interval '59 min' * (i / 7000.0 + 0.05 * sin(i / 350.0)) - interval '20 s' as at) f
                """);
        sql("""
                insert into konduit_task (queue, type, payload, priority, status, run_at, created_at)
                select (array['mail', 'import'])[1 + i % 2], (array['mail.welcome', 'import.products'])[1 + i % 2], '{}', 2, 'PENDING',
                       clock_timestamp() + i * interval '40 s' - interval '12 s', clock_timestamp() - i * interval '3 s' from generate_series(1, 214) i
                """);
        sql("""
                insert into konduit_task (queue, type, payload, priority, status, run_at, attempts, max_attempts, reapable, lease_epoch, locked_by,
                       locked_at, lock_timeout_at, created_at, last_checkpoint_at)
                select (array['mail', 'import'])[1 + i % 2], (array['mail.welcome', 'import.products'])[1 + i % 2], '{}', 2, 'RUNNING', clock_timestamp(), 1, 3, true, 1,
                       (array['6f1d3a52-0c1e-4a7b-9a54-3a8f1b5d2c01', 'a20b8c9e-77d1-4a0e-8f43-51c0e9d3b702']::uuid[])[1 + i / 2 % 2],
                       clock_timestamp() - i * interval '47 s', clock_timestamp() + interval '4 min', clock_timestamp() - i * interval '60 s',
                       case when i % 2 = 1 then clock_timestamp() - i * interval '3 s' end
                  from generate_series(1, 9) i
                """);
        sql("""
                insert into konduit_task (queue, type, payload, priority, status, run_at, attempts, max_attempts, lease_epoch, created_at, finished_at,
                       unique_key)
                select 'mail', (array['mail.welcome', 'mail.invoice'])[1 + i % 2], '{"to": "ada@example.org"}', 2, 'FAILED', f.at, 3, 3, 3,
                       f.at - interval '9 min', f.at, case when i % 5 = 0 then 'order-' || 7000 + i end
                  from generate_series(1, 38) i
                 cross join lateral (select clock_timestamp() - i * i * interval '9 s' as at) f
                """);
        sql("""
                insert into konduit_task_error (task_id, lease_epoch, attempt, type, message, stack, outcome, worker, at)
                select t.id, 3, 3, (array['java.net.SocketTimeoutException', 'jakarta.mail.MessagingException'])[1 + t.id % 2],
                       'smtp.example.org did not answer within 30 s', 'java.net.SocketTimeoutException' || chr(10)
                       || '    at shop.mail.Smtp.send(Smtp.java:88)', 'FAILED', gen_random_uuid(), t.finished_at
                  from konduit_task t where t.status = 'FAILED'
                """);
        sql("""
                insert into konduit_queue (name, paused_at, paused_by, note) values ('reports', clock_timestamp() - interval '26 min', 'grace',
                       'the warehouse is being moved')
                """);
        sql("""
                insert into konduit_queue_audit (queue, action, actor, note, at)
                values ('payments', 'PAUSED', 'ada', 'provider down', clock_timestamp() - interval '2 d'),
                       ('payments', 'RESUMED', 'ada', 'provider is back', clock_timestamp() - interval '46 h'),
                       ('reports', 'PAUSED', 'grace', 'the warehouse is being moved', clock_timestamp() - interval '26 min')
                """);
        sql("""
                insert into konduit_audit (at, actor, action, filter, changed, note)
                values (clock_timestamp() - interval '47 h', 'ada', 'RETRY', '{"type": "payment.charge", "status": "FAILED"}', 500, 'provider is back'),
                       (clock_timestamp() - interval '47 h' + interval '1 s', 'ada', 'RETRY', '{"type": "payment.charge", "status": "FAILED"}', 212, 'provider is back'),
                       (clock_timestamp() - interval '3 h', 'grace', 'CANCEL', '{"queue": "reports", "createdBefore": "2030-01-01T00:00:00Z"}', 17, 'obsolete since the move')
                """);
        sql(
                "insert into konduit_audit (at, actor, action, target, changed, note) values (clock_timestamp() - interval '80 min', 'ada', 'DRAIN',"
                        + " 'a20b8c9e-77d1-4a0e-8f43-51c0e9d3b702', 1, 'memory looks odd')");
        long held = held("payment.charge", 4711, "14 min", true);
        held("payment.charge", 4718, "13 min", false);
        sql("""
                insert into konduit_task_incident (task_id, queue, type, classification, action, actor, previous_owner, lease_epoch, lease_started_at,
                       lease_ended_at, detected_at, detection_delay_ms, attempts, zombie_count, outcome, outcome_at)
                select 100 + i, 'import', 'import.products', (array['WORKER_GONE', 'ZOMBIE', 'ZOMBIE'])[1 + i % 3], 'RECLAIMED', 'leader shop-7c9d4-x2k8p',
                       gen_random_uuid(), 1, f.at - interval '3 min', f.at - interval '1 s', f.at, 900 + i * 17, 1, 1, 'COMPLETED', f.at + interval '40 s'
                  from generate_series(1, 46) i
                 cross join lateral (select clock_timestamp() - (i * i * 5 % 13 + i % 2) * interval '1 day' - i * interval '11 min' as at) f
                """);
        return held;
    }

    private long held(String type, int order, String ago, boolean late) {
        long id = rows.jdbc()
                .sql("""
                insert into konduit_task (queue, type, payload, checkpoint, priority, status, run_at, attempts, max_attempts, reapable, zombie_count, lease_epoch,
                       hold_reason, unique_key, created_at, last_checkpoint_at)
                select 'payments', :type, ('{"order": ' || :order || ', "cents": 1990}')::jsonb, '{"step": "asked the provider"}', 1, 'HELD', f.at, 1, 3, false, 1, 1,
                       'NOT_REAPABLE', 'order-' || :order, f.at - interval '7 min', f.at - interval '6 min'
                  from (select clock_timestamp() - :ago::interval as at) f
                returning id
                """)
                .param("type", type)
                .param("order", order)
                .param("ago", ago)
                .query(Long.class)
                .single();
        rows.jdbc()
                .sql("""
                insert into konduit_task_incident (task_id, queue, type, classification, action, actor, previous_owner, lease_epoch, lease_started_at,
                       lease_ended_at, detected_at, detection_delay_ms, attempts, zombie_count, late_outcome, late_outcome_at)
                select :id, 'payments', :type, 'ZOMBIE', 'HELD', 'leader shop-7c9d4-x2k8p', gen_random_uuid(), 1, f.at - interval '6 min 30 s',
                       f.at - interval '12 s', f.at, 12000, 1, 1, :late, case when :late is not null then f.at + interval '2 min' end
                  from (select clock_timestamp() - :ago::interval as at) f
                """)
                .param("id", id)
                .param("type", type)
                .param("ago", ago)
                .param("late", late ? "COMPLETED" : null, java.sql.Types.VARCHAR)
                .update();
        return id;
    }

    private void sql(String statement) {
        rows.jdbc().sql(statement).update();
    }
}
