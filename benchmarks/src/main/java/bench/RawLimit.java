package bench;

import bench.peers.RawSql;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** The raw loop over batch sizes and client threads: what this machine can do at all. */
final class RawLimit {
    private static final int WARM_MILLIS = 400, RUN_MILLIS = 2_000;

    static void run(String phase) throws Exception {
        var peer = new RawSql();
        var db = new Db("raw-limit");
        try (Connection admin = db.connect()) {
            peer.createSchema(admin);
            measure(peer, db, admin, 4, 10, RawSql.COMPLETE_UPDATE); // warm-up
            for (int batch : new int[] {1, 10, 100}) {
                for (int threads : new int[] {1, 2, 4, 8})
                    line(peer, db, admin, threads, batch, "update", RawSql.COMPLETE_UPDATE, phase);
            }
            for (int batch : new int[] {1, 10, 100})
                line(peer, db, admin, 4, batch, "delete", RawSql.COMPLETE_DELETE, phase);
        }
    }

    private static void line(
            RawSql peer, Db db, Connection admin, int threads, int batch, String mode, String sql, String phase)
            throws Exception {
        double[] rates = new double[3];
        for (int i = 0; i < rates.length; i++) rates[i] = measure(peer, db, admin, threads, batch, sql);
        Out.line(
                "raw-sql",
                "raw_limit",
                "batch %d, %d threads, %s, %s".formatted(batch, threads, mode, phase),
                Out.median(rates),
                "jobs/s",
                "reps",
                Out.rounded(rates));
    }

    private static double measure(RawSql peer, Db db, Connection admin, int threads, int batch, String completeSql)
            throws Exception {
        peer.clear(admin);
        peer.fill(admin, batch == 1 ? 30_000 : batch == 10 ? 120_000 : 300_000);
        Db.run(admin, "analyze raw_jobs", "checkpoint");
        var done = new AtomicLong();
        var end = new CountDownLatch(threads);
        long t0 = System.nanoTime(), from = t0 + WARM_MILLIS * 1_000_000L, to = from + RUN_MILLIS * 1_000_000L;
        var last = new AtomicLong(to);
        for (int t = 0; t < threads; t++) {
            new Thread(() -> {
                        try (Connection c = db.connect()) {
                            for (long now; (now = System.nanoTime()) < to; ) {
                                List<long[]> got = RawSql.claim(c, batch);
                                if (got.isEmpty()) {
                                    last.accumulateAndGet(System.nanoTime(), Math::min); // drained early
                                    break;
                                }
                                RawSql.complete(c, got, completeSql);
                                if (now >= from) done.addAndGet(got.size());
                            }
                        } catch (Exception e) {
                            e.printStackTrace();
                        }
                        end.countDown();
                    })
                    .start();
        }
        end.await();
        return done.get() * 1e9 / (last.get() - from);
    }
}
