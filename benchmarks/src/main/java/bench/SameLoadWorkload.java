package bench;

import bench.Peer.HANDLER;
import bench.Peer.Profile;
import bench.Peer.Worker;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** What users feel: the same tasks per second for every system that can carry them, far below its limit. */
final class SameLoadWorkload {
    private static final int[] RATES = Sizes.QUICK ? new int[] {50, 100} : new int[] {200, 1_000, 2_000};
    private static final int WARM_UP_SECONDS = Sizes.QUICK ? 1 : 8;
    private static final int SECONDS = Sizes.QUICK ? 2 : 20;
    private static final long HANDLER_NANOS = 5_000_000;
    /** What a system may be late at the end, in seconds, and still have carried the load. */
    private static final int LATE_SECONDS = 5;

    private final Lab lab;

    SameLoadWorkload(Lab lab) {
        this.lab = lab;
    }

    private record Measured(Profile profile, double[] millis, double jvmMicros, double serverMicros) {
        double percentile(double q) {
            return Out.percentile(millis, q);
        }
    }

    /** Each rate with both kinds of settings that a system has for speed; the better p99 counts. */
    void run() throws Exception {
        lab.peer.createSchema(lab.admin);
        try (var ds = lab.db.pool(Lab.THREADS + 4, false)) {
            lab.warmUp(i -> lab.drainAll(ds, lab.sizes.drainJobs(lab.peer) / 4));
            for (int rate : RATES) {
                Measured throughput = measure(ds, rate, Profile.THROUGHPUT);
                Measured latency = measure(ds, rate, Profile.LATENCY);
                report(rate, better(throughput, latency));
            }
        }
    }

    private static Measured better(Measured a, Measured b) {
        if (a == null || b == null) return a == null ? b : a;
        return a.percentile(0.99) <= b.percentile(0.99) ? a : b;
    }

    private void report(int rate, Measured measured) {
        String load = String.format("%,d/s", rate);
        if (measured == null) {
            System.err.println(lab.peerName + " does not carry " + load);
            return;
        }
        String settings = measured.profile().name().toLowerCase();
        lab.line("same_load", load + " p50", measured.percentile(0.50), "ms", "settings", settings);
        lab.line("same_load", load + " p99", measured.percentile(0.99), "ms", "settings", settings);
        lab.line("same_load", load + " p99.9", measured.percentile(0.999), "ms", "settings", settings);
        lab.line("same_load", load + ", worker's JVM", measured.jvmMicros(), "µs/job", "settings", settings);
        lab.line("same_load", load + ", server", measured.serverMicros(), "µs/job", "settings", settings);
        lab.line(
                "same_load",
                load + ", both",
                measured.jvmMicros() + measured.serverMicros(),
                "µs/job",
                "settings",
                settings);
    }

    /** From the time at which a task should be enqueued to the end of its handler; null if the system falls behind. */
    private Measured measure(DataSource ds, int rate, Profile profile) throws Exception {
        lab.lived();
        lab.peer.clear(lab.admin);
        int warm = rate * WARM_UP_SECONDS, all = warm + rate * SECONDS;
        long[] ended = new long[all];
        var count = new AtomicInteger();
        HANDLER.current = id -> {
            LockSupport.parkNanos(HANDLER_NANOS);
            ended[(int) id] = System.nanoTime();
            count.incrementAndGet();
        };
        try (Worker worker = lab.peer.worker(ds, profile, Lab.THREADS);
                Child producer = Child.start(lab, "producer", profile.name())) {
            worker.start();
            producer.tell("paced 0 " + all + " " + rate);
            Lab.await(2 * WARM_UP_SECONDS + LATE_SECONDS, () -> count.get() >= warm);
            int before = count.get();
            Usage first = Usage.now(lab);
            String[] answer = producer.read().split(":");
            Usage last = Usage.now(lab);
            int jobs = count.get() - before;
            long start = Long.parseLong(answer[0]), interval = 1_000_000_000L / rate;
            long late = Long.parseLong(answer[1]) - start - all * interval;
            boolean done = Lab.await(LATE_SECONDS, () -> count.get() >= all);
            if (!done || late > LATE_SECONDS * 1_000_000_000L || jobs == 0) return null;
            double[] millis = new double[all - warm];
            for (int i = warm; i < all; i++) millis[i - warm] = (ended[i] - start - i * interval) / 1e6;
            if (Arrays.stream(millis).anyMatch(each -> each < 0))
                throw new IllegalStateException("A task ended before it was enqueued.");
            return new Measured(
                    profile,
                    millis,
                    (last.jvmMicros() - first.jvmMicros()) / jobs,
                    (last.serverMicros() - first.serverMicros()) / jobs);
        }
    }
}
