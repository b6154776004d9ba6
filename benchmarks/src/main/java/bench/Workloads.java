package bench;

import bench.Peer.HANDLER;
import bench.Peer.Producer;
import bench.Peer.Profile;
import bench.Peer.Worker;
import java.io.File;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The workloads, the same code for every system. */
final class Workloads {
    private static final int REPS = Integer.getInteger("reps", 3);
    private static final int THREADS = 16;
    private static final long BASE = 10_000_000; // job numbers of the enqueue workloads, away from those of fill()
    private static final long REP_LIMIT_NANOS = Duration.ofSeconds(60).toNanos();
    private static final long ENQUEUE_LIMIT_NANOS = Duration.ofSeconds(20).toNanos();

    private final Peer peer;
    private final String peerArg;
    private final Db db;
    private final Connection admin;

    Workloads(Peer peer, String peerArg) throws Exception {
        this.peer = peer;
        this.peerArg = peerArg;
        this.db = new Db(System.getProperty("db", peer.name()));
        this.admin = db.connect();
    }

    // ---- enqueue ------------------------------------------------------------------------------

    /** 4 threads, one transaction per job, nobody consuming. */
    void enqueueSingle() throws Exception {
        int jobs = 20_000, threads = 4;
        peer.createSchema(admin);
        try (var ds = db.pool(threads + 4, false);
                Producer p = peer.remoteProducer(ds, Profile.DEFAULT)) {
            warmUp(10, i -> enqueueParallel(p, i * 10_000L, 10_000, threads));
            double[] rates = repeat(() -> {
                lived();
                return enqueueParallel(p, BASE, jobs, threads);
            });
            Out.line(
                    peer.name(),
                    "enqueue_single",
                    "4 threads",
                    Out.median(rates),
                    "jobs/s",
                    "jobs",
                    jobs,
                    "reps",
                    Out.rounded(rates));
        }
    }

    private static double enqueueParallel(Producer p, long base, int jobs, int threads) throws Exception {
        var next = new AtomicInteger();
        var done = new CountDownLatch(threads);
        var failures = new AtomicInteger();
        long t0 = System.nanoTime();
        for (int t = 0; t < threads; t++) {
            new Thread(() -> {
                        try {
                            for (int id;
                                    (id = next.getAndIncrement()) < jobs
                                            && System.nanoTime() - t0 < ENQUEUE_LIMIT_NANOS; ) p.enqueue(base + id);
                        } catch (Exception e) {
                            e.printStackTrace();
                            failures.incrementAndGet();
                        }
                        done.countDown();
                    })
                    .start();
        }
        done.await();
        if (failures.get() > 0) throw new IllegalStateException("enqueue failed");
        return Math.min(jobs, next.get() - threads) * 1e9 / (System.nanoTime() - t0);
    }

    /** 100k jobs from one thread through the fastest API; stops after 20 s per repetition. */
    void enqueueBulk() throws Exception {
        int jobs = 100_000, chunk = 10_000;
        peer.createSchema(admin);
        try (var ds = db.pool(4, false);
                Producer p = peer.remoteProducer(ds, Profile.DEFAULT)) {
            warmUp(10, i -> p.enqueueAll(i * 10_000L, 10_000));
            double[] rates = repeat(() -> {
                lived();
                long t0 = System.nanoTime();
                int n = 0;
                while (n < jobs && System.nanoTime() - t0 < ENQUEUE_LIMIT_NANOS) {
                    p.enqueueAll(BASE + n, chunk);
                    n += chunk;
                }
                return n * 1e9 / (System.nanoTime() - t0);
            });
            Out.line(
                    peer.name(),
                    "enqueue_bulk",
                    "100k",
                    Out.median(rates),
                    "jobs/s",
                    "chunk",
                    chunk,
                    "reps",
                    Out.rounded(rates));
        }
    }

    // ---- drain --------------------------------------------------------------------------------

    /** Start of the first handler until the last completion is durable. */
    void drainNoop() throws Exception {
        int jobs = peer.drainJobs();
        peer.createSchema(admin);
        try (var ds = db.pool(THREADS + 4, false)) {
            warmUp(15, i -> drainAll(ds, jobs / 4));
            double[] rates = repeat(() -> drainAll(ds, jobs));
            Out.line(
                    peer.name(),
                    "drain_noop",
                    THREADS + " threads",
                    Out.median(rates),
                    "jobs/s",
                    "jobs",
                    jobs,
                    "config",
                    peer.describe(Profile.THROUGHPUT),
                    "reps",
                    Out.rounded(rates));
        }
    }

    private double drainAll(javax.sql.DataSource ds, int jobs) throws Exception {
        peer.clear(admin);
        peer.fill(admin, jobs);
        settle();
        var count = new AtomicInteger();
        var first = new AtomicLong();
        HANDLER.current = id -> {
            if (count.getAndIncrement() == 0) first.set(System.nanoTime());
        };
        try (Worker w = peer.worker(ds, Profile.THROUGHPUT, THREADS)) {
            w.start();
            await(120, () -> count.get() >= jobs);
            if (count.get() >= jobs) await(30, () -> unfinished() == 0);
            return Math.min(count.get(), jobs) * 1e9 / (System.nanoTime() - first.get());
        }
    }

    /** Rate in the middle of 10k jobs (fewer for slow systems), with no more and with 1M jobs waiting. */
    void drainScaling() throws Exception {
        int small = 10_000, big = Integer.getInteger("big", 1_000_000);
        peer.createSchema(admin);
        try (var ds = db.pool(THREADS + 4, false)) {
            warmUp(15, i -> drainAll(ds, peer.drainJobs() / 4));
            double[] rates10k = repeat(() -> {
                peer.clear(admin);
                peer.fill(admin, small);
                settle();
                return drainWindow(ds);
            });
            peer.clear(admin);
            long t0 = System.nanoTime();
            peer.fill(admin, big);
            double fillSeconds = (System.nanoTime() - t0) / 1e9;
            settle();
            double[] ratesBig = repeat(() -> drainWindow(ds));
            String config = peer.describe(Profile.THROUGHPUT);
            Out.line(
                    peer.name(),
                    "drain_scaling",
                    "backlog 10k",
                    Out.median(rates10k),
                    "jobs/s",
                    "config",
                    config,
                    "reps",
                    Out.rounded(rates10k));
            Out.line(
                    peer.name(),
                    "drain_scaling",
                    "backlog " + big / 1000 + "k",
                    Out.median(ratesBig),
                    "jobs/s",
                    "sql_fill_s",
                    Out.round(fillSeconds),
                    "truncated_at_jobs",
                    truncatedAt,
                    "reps",
                    Out.rounded(ratesBig));
            Out.line(peer.name(), "drain_scaling", "ratio", Out.median(ratesBig) / Out.median(rates10k), "x");
        }
    }

    /** Jobs handled by the last window that ran out of time before its end, -1 if none did. */
    private int truncatedAt = -1;

    private double drainWindow(javax.sql.DataSource ds) throws Exception {
        int jobs = Math.min(10_000, peer.drainJobs()), from = jobs / 5, to = jobs * 19 / 20;
        var count = new AtomicInteger();
        var begin = new AtomicLong();
        var end = new AtomicLong();
        HANDLER.current = id -> {
            int n = count.incrementAndGet();
            if (n == from) begin.set(System.nanoTime());
            if (n == to) end.set(System.nanoTime());
        };
        try (Worker w = peer.worker(ds, Profile.THROUGHPUT, THREADS)) {
            long t0 = System.nanoTime();
            w.start();
            if (await(90, () -> end.get() > 0)) return (to - from) * 1e9 / (end.get() - begin.get());
            truncatedAt = count.get(); // too slow for the window: all it did since the start
            return truncatedAt * 1e9 / (System.nanoTime() - t0);
        }
    }

    // ---- latency ------------------------------------------------------------------------------

    /** 500 jobs at 20/s on an idle system, after 60 warm-up jobs; enqueue returned until handler entered. */
    void pickupLatency(Profile profile, boolean local) throws Exception {
        int warm = 60, n = warm + 500;
        peer.createSchema(admin);
        long[] sent = new long[n], seen = new long[n];
        var left = new CountDownLatch(n);
        HANDLER.current = id -> {
            seen[(int) id] = System.nanoTime();
            left.countDown();
        };
        try (var ds = db.pool(THREADS + 4, false);
                Worker w = peer.worker(ds, profile, 0);
                Producer remote = peer.remoteProducer(ds, profile)) {
            w.start();
            Producer p = local ? w.localProducer().orElse(remote) : remote;
            Thread.sleep(3_000);
            long start = System.nanoTime();
            for (int i = 0; i < n; i++) {
                LockSupport.parkNanos(start + i * 50_000_000L - System.nanoTime());
                p.enqueue(i);
                sent[i] = System.nanoTime();
            }
            left.await(60, java.util.concurrent.TimeUnit.SECONDS);
            double[] ms = new double[n - warm];
            int lost = 0;
            for (int i = warm; i < n; i++) {
                if (seen[i] == 0) lost++;
                ms[i - warm] = seen[i] == 0 ? 1e9 : Math.max(0, (seen[i] - sent[i]) / 1e6);
            }
            String variant = profile.name().toLowerCase() + (local ? ", same process" : ", other process");
            for (double q : new double[] {0.50, 0.95, 0.99}) {
                Out.line(
                        peer.name(),
                        "pickup_latency",
                        variant + " p" + Math.round(q * 100),
                        Out.percentile(ms, q),
                        "ms",
                        "config",
                        peer.describe(profile),
                        "lost",
                        lost);
            }
        }
    }

    // ---- crash --------------------------------------------------------------------------------

    /** kill -9 a process with 100 running jobs while a second one is up; time until it ran the first / all of them. */
    void crashRecovery(Profile profile) throws Exception {
        int jobs = 100;
        String p = profile.name().toLowerCase();
        var bound = peer.recoveryBoundSeconds(profile);
        if (bound.isPresent()) {
            Out.line(
                    peer.name(),
                    "crash_recovery",
                    p + " last",
                    bound.get(),
                    "s",
                    "measured",
                    false,
                    "config",
                    peer.describe(profile));
            return;
        }
        peer.createSchema(admin);
        Db.run(
                admin,
                "drop table if exists bench_events",
                "create table bench_events(job bigint, worker text, at timestamptz default clock_timestamp())");
        Process victim = child(profile, "victim", 3_600_000), survivor = null;
        try (var ds = db.pool(4, false);
                Producer producer = peer.remoteProducer(ds, profile)) {
            for (int i = 0; i < jobs; i++) producer.enqueue(i);
            if (!awaitEvents("victim", jobs, 60)) throw new IllegalStateException("victim did not start all jobs");
            survivor = child(profile, "survivor", 0);
            if (!awaitEvents("survivor-up", 1, 60)) throw new IllegalStateException("survivor not up");
            Thread.sleep(8_000);
            Db.run(admin, "insert into bench_events values (-1, 'kill')");
            victim.destroyForcibly().waitFor(); // SIGKILL
            boolean all = awaitEvents("survivor", jobs, 240);
            double seconds = Db.number(admin, "select count(*) from bench_events where worker = 'survivor'") == 0
                    ? Double.NaN
                    : 0;
            if (!all && Double.isNaN(seconds)) {
                Out.line(
                        peer.name(),
                        "crash_recovery",
                        p + " last",
                        240,
                        "s",
                        "measured",
                        false,
                        "note",
                        "nothing within 240 s",
                        "config",
                        peer.describe(profile));
                return;
            }
            String sql =
                    "select round(extract(epoch from %s(at) - (select at from bench_events where worker = 'kill')) * 1000) from bench_events where worker = 'survivor'";
            Out.line(
                    peer.name(),
                    "crash_recovery",
                    p + " first",
                    Db.number(admin, sql.formatted("min")) / 1000.0,
                    "s",
                    "config",
                    peer.describe(profile));
            Out.line(
                    peer.name(),
                    "crash_recovery",
                    p + " last",
                    Db.number(admin, sql.formatted("max")) / 1000.0,
                    "s",
                    "complete",
                    all);
        } finally {
            victim.destroyForcibly();
            if (survivor != null) survivor.destroyForcibly();
        }
    }

    private boolean awaitEvents(String worker, int n, int seconds) throws Exception {
        return await(
                seconds,
                () -> query("select count(distinct job) from bench_events where worker = '" + worker + "'") >= n);
    }

    private Process child(Profile profile, String name, long sleepMillis) throws Exception {
        List<String> cmd = new ArrayList<>(List.of(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                "-Xmx512m",
                "-Ddb=" + System.getProperty("db", peer.name()),
                "-cp",
                System.getProperty("java.class.path"),
                "bench.Bench",
                peerArg,
                "crash_worker",
                profile.name(),
                name,
                Long.toString(sleepMillis)));
        return new ProcessBuilder(cmd)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    void crashWorker(Profile profile, String name, long sleepMillis) throws Exception {
        try (var events = db.pool(2, false);
                var ds = db.pool(10, false)) {
            HANDLER.current = id -> {
                try (Connection c = events.getConnection()) {
                    Db.run(c, "insert into bench_events values (" + id + ", '" + name + "')");
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
                LockSupport.parkUntil(System.currentTimeMillis() + sleepMillis);
            };
            peer.worker(ds, profile, 100).start();
            Db.run(admin, "insert into bench_events values (-2, '" + name + "-up')");
            Thread.sleep(600_000);
        }
    }

    // ---- idle ---------------------------------------------------------------------------------

    /** What one idle node costs the database. */
    void idleLoad(Profile profile) throws Exception {
        int window = 60;
        peer.createSchema(admin);
        Db.run(admin, "create extension if not exists pg_stat_statements");
        try (var ds = db.pool(10, true);
                Worker w = peer.worker(ds, profile, 0)) {
            w.start();
            Thread.sleep(20_000);
            String statements =
                    "select coalesce(sum(calls), 0) from pg_stat_statements s join pg_database d on d.oid = s.dbid where d.datname = current_database()";
            String commits =
                    "select xact_commit + xact_rollback from pg_stat_database where datname = current_database()";
            long s0 = Db.number(admin, statements), x0 = Db.number(admin, commits);
            Thread.sleep(window * 1000L);
            long s1 = Db.number(admin, statements), x1 = Db.number(admin, commits);
            Out.line(
                    peer.name(),
                    "idle_load",
                    profile.name().toLowerCase(),
                    (s1 - s0) / (double) window,
                    "statements/s",
                    "xacts_per_s",
                    Out.round(Math.max(0, x1 - x0 - 2) / (double) window),
                    "window_s",
                    window,
                    "config",
                    peer.describe(profile));
        }
    }

    // ---- helpers ------------------------------------------------------------------------------

    interface Rep {
        double run() throws Exception;
    }

    /** Medians need several runs, but not of something that takes more than a minute. */
    private static double[] repeat(Rep rep) throws Exception {
        List<Double> rates = new ArrayList<>();
        for (int i = 0; i < REPS; i++) {
            long t0 = System.nanoTime();
            rates.add(rep.run());
            if (System.nanoTime() - t0 > REP_LIMIT_NANOS) break;
        }
        return rates.stream().mapToDouble(Double::doubleValue).toArray();
    }

    interface WarmUp {
        void run(int round) throws Exception;
    }

    /** By time, not by count: on two cores the compiler needs a while next to the work. */
    private static void warmUp(int seconds, WarmUp w) throws Exception {
        long t0 = System.nanoTime();
        for (int i = 0; System.nanoTime() - t0 < seconds * 1_000_000_000L; i++) w.run(i);
    }

    private void settle() throws Exception {
        Db.run(admin, "analyze", "checkpoint");
    }

    /** A table in use: 20k waiting jobs and statistics. On an empty one, cached plans would be sequential scans. */
    private void lived() throws Exception {
        peer.clear(admin);
        peer.fill(admin, 20_000);
        settle();
    }

    private long unfinished() {
        return query(peer.unfinishedSql());
    }

    private long query(String sql) {
        try {
            return Db.number(admin, sql);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean await(int seconds, BooleanSupplier done) throws InterruptedException {
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        while (!done.getAsBoolean()) {
            if (System.nanoTime() > end) return false;
            Thread.sleep(10);
        }
        return true;
    }
}
