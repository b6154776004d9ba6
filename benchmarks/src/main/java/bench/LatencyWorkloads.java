package bench;

import bench.Peer.HANDLER;
import bench.Peer.Profile;
import bench.Peer.Worker;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/** How long a job waits for its handler when another process has enqueued it. */
final class LatencyWorkloads {
    private static final int WARM_UP = 60;
    private static final long INTERVAL_NANOS = 50_000_000;

    private final Lab lab;

    LatencyWorkloads(Lab lab) {
        this.lab = lab;
    }

    /** 20 jobs per second on an idle system: from the return of the committed enqueue to the start of the handler. */
    void pickup(Profile profile) throws Exception {
        int warm = Sizes.QUICK ? 5 : WARM_UP, n = warm + lab.sizes.latencyJobs();
        lab.peer.createSchema(lab.admin);
        long[] seen = new long[n];
        var count = new AtomicInteger();
        HANDLER.current = id -> {
            seen[(int) id] = System.nanoTime();
            count.incrementAndGet();
        };
        try (var ds = lab.db.pool(Lab.THREADS + 4, false);
                Worker w = lab.peer.worker(ds, profile, 0)) {
            w.start();
            String answer;
            try (Child producer = Child.start(lab, "producer", profile.name())) {
                Thread.sleep(Sizes.QUICK ? 500 : 3_000);
                answer = producer.ask("one 0 " + n + " " + INTERVAL_NANOS);
            }
            Lab.await(60, () -> count.get() >= n);
            String[] times = answer.split(",");
            double[] fromCommit = new double[n - warm], fromCall = new double[n - warm];
            int lost = 0;
            for (int i = warm; i < n; i++) {
                String[] time = times[i].split(":");
                if (seen[i] == 0) lost++;
                long at = seen[i] == 0 ? Long.MAX_VALUE / 2 : seen[i];
                fromCall[i - warm] = (at - Long.parseLong(time[0])) / 1e6;
                fromCommit[i - warm] = Math.max(0, (at - Long.parseLong(time[1])) / 1e6);
            }
            String name = profile == Profile.DEFAULT ? "default" : "fastest";
            for (double q : new double[] {0.50, 0.99}) {
                lab.line(
                        "pickup_latency",
                        name + " p" + Math.round(q * 100),
                        Out.percentile(fromCommit, q),
                        "ms",
                        "from_call_ms",
                        Out.round(Out.percentile(fromCall, q)),
                        "jobs",
                        n - warm,
                        "lost",
                        lost);
            }
        }
    }

    /** Producer and worker at once, at 70 % of what the worker does alone. */
    void steady() throws Exception {
        int seconds = lab.sizes.steadySeconds(), warm = Math.max(1, seconds / 4);
        lab.peer.createSchema(lab.admin);
        try (var ds = lab.db.pool(Lab.THREADS + 4, false)) {
            int jobs = lab.sizes.drainJobs(lab.peer);
            lab.warmUp(i -> lab.drainAll(ds, jobs / 4));
            double alone = Out.median(lab.repeat(() -> lab.drainAll(ds, jobs)));
            int target = (int) (0.7 * alone);
            lab.peer.clear(lab.admin);
            long[] seen = new long[(int) (target * (seconds + warm + 2L))];
            var count = new AtomicInteger();
            HANDLER.current = id -> {
                seen[(int) id] = System.nanoTime();
                count.incrementAndGet();
            };
            try (Worker w = lab.peer.worker(ds, Profile.THROUGHPUT, Lab.THREADS)) {
                w.start();
                String[] chunks;
                try (Child producer = Child.start(lab, "producer", Profile.DEFAULT.name())) {
                    chunks = producer.ask("many 0 " + target + " " + (seconds + warm))
                            .split(",");
                }
                int sent = Arrays.stream(chunks)
                        .mapToInt(c -> Integer.parseInt(c.split(":")[0]))
                        .sum();
                long end = Long.parseLong(chunks[chunks.length - 1].split(":")[1]);
                Lab.await(60, () -> count.get() >= sent);
                report(chunks, seen, sent, end - seconds * 1_000_000_000L, end, alone);
            }
        }
    }

    private void report(String[] chunks, long[] seen, int sent, long begin, long end, double alone) {
        double[] waits = new double[sent];
        int id = 0, n = 0, lost = 0, done = 0, offered = 0;
        for (String chunk : chunks) {
            int count = Integer.parseInt(chunk.split(":")[0]);
            long committed = Long.parseLong(chunk.split(":")[1]);
            for (int i = 0; i < count; i++, id++) {
                if (seen[id] >= begin && seen[id] <= end) done++;
                if (committed < begin) continue;
                offered++;
                if (seen[id] == 0) lost++;
                waits[n++] = seen[id] == 0 ? 1e9 : Math.max(0, (seen[id] - committed) / 1e6);
            }
        }
        double seconds = (end - begin) / 1e9;
        waits = Arrays.copyOf(waits, n);
        lab.line(
                "steady",
                "throughput",
                done / seconds,
                "jobs/s",
                "target",
                Math.round(0.7 * alone),
                "enqueued",
                Math.round(offered / seconds),
                "drain_alone",
                Math.round(alone),
                "lost",
                lost);
        lab.line("steady", "p50", Out.percentile(waits, 0.50), "ms");
        lab.line("steady", "p99", Out.percentile(waits, 0.99), "ms");
    }
}
