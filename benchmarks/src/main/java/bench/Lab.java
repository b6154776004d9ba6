package bench;

import bench.Peer.HANDLER;
import bench.Peer.Profile;
import bench.Peer.Worker;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;

/** One system on its database, and what all workloads do with it. */
final class Lab {
    static final int THREADS = 16;
    private static final long REP_LIMIT_NANOS = Duration.ofSeconds(60).toNanos();

    final Peer peer;
    final String peerName;
    final Db db;
    final Connection admin;
    final Sizes sizes = Sizes.current();

    Lab(Peer peer, String peerName) throws Exception {
        this.peer = peer;
        this.peerName = peerName;
        this.db = new Db(System.getProperty("db", peerName));
        this.admin = db.connect();
    }

    interface Rep {
        double run() throws Exception;
    }

    double[] repeat(Rep rep) throws Exception {
        return repeat(sizes.repetitions(), rep);
    }

    /** Medians need several runs, but not of something that takes more than a minute. */
    static double[] repeat(int times, Rep rep) throws Exception {
        List<Double> values = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            long t0 = System.nanoTime();
            values.add(rep.run());
            if (System.nanoTime() - t0 > REP_LIMIT_NANOS) break;
        }
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }

    interface WarmUp {
        void run(int round) throws Exception;
    }

    /** By time, not by count: on few cores the compiler needs a while next to the work. */
    void warmUp(WarmUp w) throws Exception {
        warmUp(1, w);
    }

    /** Longer for what has pauses in it, as starts of a worker, or needs long until it is compiled. */
    void warmUp(int times, WarmUp w) throws Exception {
        long t0 = System.nanoTime();
        for (int i = 0; System.nanoTime() - t0 < times * sizes.warmUpSeconds() * 1_000_000_000L; i++) w.run(i);
    }

    void settle() throws Exception {
        Db.run(admin, "analyze", "checkpoint");
    }

    /** A table in use: 20k waiting jobs and statistics. On an empty one, cached plans would be sequential scans. */
    void lived() throws Exception {
        peer.clear(admin);
        peer.fill(admin, 20_000);
        settle();
    }

    /** Start of the first handler until the last completion is durable. */
    double drainAll(DataSource ds, int jobs) throws Exception {
        peer.clear(admin);
        peer.fill(admin, jobs);
        settle();
        return drain(ds, jobs, () -> {});
    }

    /** Drains what is there. */
    double drain(DataSource ds, int jobs, Runnable handler) throws Exception {
        var count = new AtomicInteger();
        var first = new AtomicLong();
        HANDLER.current = id -> {
            if (count.getAndIncrement() == 0) first.set(System.nanoTime());
            handler.run();
        };
        try (Worker w = peer.worker(ds, Profile.THROUGHPUT, THREADS)) {
            w.start();
            await(120, () -> count.get() >= jobs);
            if (count.get() >= jobs) await(30, () -> unfinished() == 0);
            return Math.min(count.get(), jobs) * 1e9 / (System.nanoTime() - first.get());
        }
    }

    long unfinished() {
        return query(peer.unfinishedSql());
    }

    long query(String sql) {
        try {
            return Db.number(admin, sql);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static boolean await(int seconds, BooleanSupplier done) throws InterruptedException {
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        while (!done.getAsBoolean()) {
            if (System.nanoTime() > end) return false;
            Thread.sleep(10);
        }
        return true;
    }

    void line(String workload, String variant, double value, String unit, Object... params) {
        Out.line(peerName, workload, variant, value, unit, params);
    }

    /** The median of repetitions. */
    void line(String workload, String variant, double[] reps, String unit, Object... params) {
        Object[] all = java.util.Arrays.copyOf(params, params.length + 2);
        all[params.length] = "reps";
        all[params.length + 1] = Out.rounded(reps);
        Out.line(peerName, workload, variant, Out.median(reps), unit, all);
    }
}
