package bench;

import bench.Peer.HANDLER;
import bench.Peer.Profile;
import bench.Peer.Worker;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/** What a worker takes that has nothing to do, what memory it needs, and how fast orphans come back. */
final class RestingWorkloads {
    private static final int MEGABYTE = 1 << 20;

    private final Lab lab;
    private final Peer peer;

    RestingWorkloads(Lab lab) {
        this.lab = lab;
        this.peer = lab.peer;
    }

    /** Statements per second, as the server counts them, and CPU of the worker's process, of one core. */
    void idle(Profile profile) throws Exception {
        int window = lab.sizes.idleWindowSeconds();
        String name = profile == Profile.DEFAULT ? "default" : "fastest";
        peer.createSchema(lab.admin);
        Db.run(lab.admin, "create extension if not exists pg_stat_statements");
        var process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        try (var ds = lab.db.pool(10, true);
                Worker w = peer.worker(ds, profile, 0)) {
            w.start();
            Thread.sleep(lab.sizes.idleSettleSeconds() * 1000L);
            String statements = "select coalesce(sum(calls), 0) from pg_stat_statements s"
                    + " join pg_database d on d.oid = s.dbid where d.datname = current_database()";
            String commits =
                    "select xact_commit + xact_rollback from pg_stat_database where datname = current_database()";
            long s0 = Db.number(lab.admin, statements), x0 = Db.number(lab.admin, commits);
            long cpu = process.getProcessCpuTime(), t0 = System.nanoTime();
            Thread.sleep(window * 1000L);
            double busy = 100.0 * (process.getProcessCpuTime() - cpu) / (System.nanoTime() - t0);
            long s1 = Db.number(lab.admin, statements), x1 = Db.number(lab.admin, commits);
            lab.line(
                    "idle",
                    name,
                    (s1 - s0) / (double) window,
                    "statements/s",
                    "transactions_per_s",
                    Out.round(Math.max(0, x1 - x0 - 2) / (double) window),
                    "window_s",
                    window);
            lab.line("idle", name + " CPU", busy, "% of a core", "window_s", window);
        }
    }

    /** Resident memory, and heap after a collection, of a worker that waits and of one that is busy. */
    void memory() throws Exception {
        peer.createSchema(lab.admin);
        HANDLER.current = id -> {};
        try (var ds = lab.db.pool(Lab.THREADS + 4, false)) {
            double[] before = use();
            try (Worker w = peer.worker(ds, Profile.THROUGHPUT, Lab.THREADS)) {
                w.start();
                Thread.sleep(lab.sizes.idleSettleSeconds() * 1000L);
                line("idle", use(), before);
            }
            int jobs = lab.sizes.drainJobs(peer);
            double[] greatest = new double[2];
            var busyUntil = new AtomicLong(System.nanoTime() + lab.sizes.idleSettleSeconds() * 1_000_000_000L);
            while (System.nanoTime() < busyUntil.get()) {
                peer.clear(lab.admin);
                peer.fill(lab.admin, jobs);
                var seen = new AtomicLong();
                HANDLER.current = id -> seen.incrementAndGet();
                try (Worker w = peer.worker(ds, Profile.THROUGHPUT, Lab.THREADS)) {
                    w.start();
                    Lab.await(60, () -> seen.get() >= jobs / 2);
                    double[] now = use();
                    greatest[0] = Math.max(greatest[0], now[0]);
                    greatest[1] = Math.max(greatest[1], now[1]);
                    Lab.await(60, () -> seen.get() >= jobs);
                }
            }
            line("busy", greatest, before);
        }
    }

    private void line(String what, double[] use, double[] before) {
        lab.line("memory", what + " resident", use[0], "MB", "before_start", Out.round(before[0]));
        lab.line("memory", what + " heap after GC", use[1], "MB", "before_start", Out.round(before[1]));
    }

    private static double[] use() throws Exception {
        System.gc();
        double heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / (double) MEGABYTE;
        double resident = Files.readAllLines(Path.of("/proc/self/status")).stream()
                        .filter(line -> line.startsWith("VmRSS"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                        .findFirst()
                        .orElse(0)
                / 1024.0;
        return new double[] {resident, heap};
    }

    /** Running tasks of dead workers whose leases have ended, until all of them wait again. */
    void reclaim() throws Exception {
        int orphans = lab.sizes.orphans();
        peer.createSchema(lab.admin);
        try (var ds = lab.db.pool(6, false)) {
            double[] rates = lab.repeat(() -> {
                peer.clear(lab.admin);
                peer.fillOrphans(lab.admin, orphans);
                lab.settle();
                return orphans / peer.reclaimSeconds(ds, orphans);
            });
            lab.line("reclaim", "orphans", rates, "tasks/s", "orphans", orphans);
        }
    }
}
