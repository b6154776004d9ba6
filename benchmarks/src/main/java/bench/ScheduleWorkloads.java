package bench;

import bench.Peer.HANDLER;
import bench.Peer.Profile;
import bench.Peer.Worker;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** How late schedules fire: 10 000 of them, a hundred firings per second. */
final class ScheduleWorkloads {
    private static final int SCHEDULES = 10_000;
    private static final int PER_SECOND = 100;
    private static final int BEGIN_SECONDS = 15;

    private final Lab lab;

    ScheduleWorkloads(Lab lab) {
        this.lab = lab;
    }

    /** From the nominal time to the ledger row, by the database's clock. */
    void firings() throws Exception {
        int seconds = 3 * lab.sizes.steadySeconds();
        lab.peer.createSchema(lab.admin);
        Db.run(
                lab.admin,
                "insert into konduit_schedule (name, every_ms, catch_up, overlap, next_at, declared, type, queue, payload,"
                        + " priority, created_at) select 'schedule ' || g, " + 1_000 * SCHEDULES / PER_SECOND
                        + ", 'LATEST', 'SKIP', clock_timestamp() + interval '" + BEGIN_SECONDS + " s' + g * interval '"
                        + 1_000 / PER_SECOND + " ms', false, 'noop', 'default', to_jsonb(g), 2, clock_timestamp()"
                        + " from generate_series(0, " + (SCHEDULES - 1) + ") g",
                "vacuum analyze konduit_schedule");
        var ran = new AtomicLong();
        HANDLER.current = id -> ran.incrementAndGet();
        try (var ds = lab.db.pool(Lab.THREADS + 4, false);
                Worker w = lab.peer.worker(ds, Profile.DEFAULT, 0)) {
            w.start();
            Thread.sleep((BEGIN_SECONDS + seconds) * 1_000L);
            double[] late = lateness();
            for (double q : new double[] {0.50, 0.99, 1}) {
                lab.line(
                        "schedules",
                        q == 1 ? "latest" : "lateness p" + Math.round(q * 100),
                        Out.percentile(late, q),
                        "ms",
                        "schedules",
                        SCHEDULES,
                        "firings",
                        late.length,
                        "ran",
                        ran.get(),
                        "missed",
                        Db.number(
                                lab.admin,
                                "select count(*) from konduit_schedule where next_at < clock_timestamp() - interval '1 s'"));
            }
        }
    }

    private double[] lateness() throws Exception {
        List<Double> found = new ArrayList<>();
        try (Statement statement = lab.admin.createStatement();
                ResultSet rows = statement.executeQuery(
                        "select extract(epoch from recorded_at - nominal_at) * 1000 from konduit_schedule_firing")) {
            while (rows.next()) found.add(rows.getDouble(1));
        }
        return found.stream().mapToDouble(Double::doubleValue).toArray();
    }
}
