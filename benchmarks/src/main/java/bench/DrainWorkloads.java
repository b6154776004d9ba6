package bench;

import bench.Peer.HANDLER;
import bench.Peer.Producer;
import bench.Peer.Profile;
import bench.Peer.Worker;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/** How fast waiting jobs get done by one process with 16 slots, and what slows that down. */
final class DrainWorkloads {
    private static final int HANDLER_MILLIS = 5;
    private static final int PORTION_SECONDS = 60;

    private final Lab lab;
    private final Peer peer;

    DrainWorkloads(Lab lab) {
        this.lab = lab;
        this.peer = lab.peer;
    }

    private interface Body {
        void run(DataSource ds) throws Exception;
    }

    private void warmed(Body body) throws Exception {
        peer.createSchema(lab.admin);
        try (var ds = lab.db.pool(Lab.THREADS + 4, false)) {
            lab.warmUp(2, i -> lab.drainAll(ds, lab.sizes.drainJobs(peer) / 4));
            body.run(ds);
        }
    }

    void noop() throws Exception {
        int jobs = lab.sizes.drainJobs(peer);
        warmed(ds -> {
            double[] rates = lab.repeat(() -> lab.drainAll(ds, jobs));
            lab.line("drain_noop", "16 threads", rates, "jobs/s", "jobs", jobs);
        });
    }

    /** The ideal is 16 slots that never wait. */
    void fiveMillis() throws Exception {
        int jobs = Math.min(lab.sizes.handlerJobs(), lab.sizes.drainJobs(peer));
        double ideal = Lab.THREADS * 1000.0 / HANDLER_MILLIS;
        warmed(ds -> {
            double[] rates = lab.repeat(() -> {
                peer.clear(lab.admin);
                peer.fill(lab.admin, jobs);
                lab.settle();
                return lab.drain(ds, jobs, DrainWorkloads::sleep);
            });
            lab.line("drain_5ms", "16 threads", rates, "jobs/s", "jobs", jobs, "ideal", ideal, "slept_ms", slept());
        });
    }

    private static void sleep() {
        try {
            Thread.sleep(HANDLER_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What a sleep of 5 ms really takes here. */
    private static double slept() {
        long t0 = System.nanoTime();
        for (int i = 0; i < 200; i++) sleep();
        return Out.round((System.nanoTime() - t0) / 200e6);
    }

    /** Rate in the middle of 10k jobs (fewer for slow systems) with that many waiting. */
    void scaling(boolean huge) throws Exception {
        List<Integer> backlogs = new ArrayList<>(List.of(10_000, lab.sizes.bigBacklog()));
        // a system that would need hours for them is not asked to
        if (huge && peer.drainJobs() >= 50_000) backlogs.add(10_000_000);
        int times = Sizes.QUICK ? 1 : 7 * lab.sizes.repetitions(); // a window is only a fraction of a second
        warmed(ds -> {
            for (int waiting : backlogs) {
                int ahead = waiting;
                double[] rates;
                if (waiting == 10_000) {
                    rates = Lab.repeat(times, () -> {
                        backlog(ahead);
                        return window(ds);
                    });
                } else {
                    backlog(ahead);
                    rates = Lab.repeat(times, () -> window(ds));
                }
                String variant =
                        waiting >= 1_000_000 ? waiting / 1_000_000 + "M waiting" : waiting / 1000 + "k waiting";
                lab.line("drain_scaling", variant, rates, "jobs/s", "waiting", waiting, "truncated_at", truncatedAt);
            }
        });
    }

    private void backlog(int waiting) throws Exception {
        peer.clear(lab.admin);
        peer.fill(lab.admin, waiting);
        Db.run(lab.admin, "vacuum analyze", "checkpoint"); // or autovacuum would do it while we measure
    }

    /** Jobs handled by the last window that ran out of time before its end, -1 if none did. */
    private int truncatedAt = -1;

    private double window(DataSource ds) throws Exception {
        int jobs = Math.min(10_000, peer.drainJobs()), from = jobs / 5, to = jobs * 19 / 20;
        var count = new AtomicInteger();
        var begin = new AtomicLong();
        var end = new AtomicLong();
        HANDLER.current = id -> {
            int n = count.incrementAndGet();
            if (n == from) begin.set(System.nanoTime());
            if (n == to) end.set(System.nanoTime());
        };
        try (Worker w = peer.worker(ds, Profile.THROUGHPUT, Lab.THREADS)) {
            long t0 = System.nanoTime();
            w.start();
            if (Lab.await(90, () -> end.get() > 0)) return (to - from) * 1e9 / (end.get() - begin.get());
            truncatedAt = count.get(); // too slow for the window: all it did since the start
            return truncatedAt * 1e9 / (System.nanoTime() - t0);
        }
    }

    /** Tasks that are due tomorrow but have a better priority than what is due now. */
    void future() throws Exception {
        int jobs = lab.sizes.drainJobs(peer);
        warmed(ds -> {
            double[] alone = lab.repeat(() -> lab.drainAll(ds, jobs));
            lab.line("future_tasks", "undisturbed", alone, "jobs/s", "jobs", jobs);
            double[] disturbed = lab.repeat(() -> {
                peer.clear(lab.admin);
                peer.fillFuture(lab.admin, lab.sizes.bigBacklog());
                peer.fill(lab.admin, jobs);
                Db.run(lab.admin, "vacuum analyze", "checkpoint");
                return lab.drain(ds, jobs, () -> {});
            });
            lab.line(
                    "future_tasks",
                    "with future tasks",
                    disturbed,
                    "jobs/s",
                    "jobs",
                    jobs,
                    "future",
                    lab.sizes.bigBacklog());
        });
    }

    /** Somebody's snapshot keeps PostgreSQL from forgetting finished rows. */
    void openTransaction() throws Exception {
        warmed(ds -> {
            passing(ds, "undisturbed");
            try (Connection reader = lab.db.connect()) {
                reader.setAutoCommit(false);
                reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                peer.clear(lab.admin);
                Db.number(reader, "select count(*) from pg_class");
                passing(ds, "transaction held open");
                reader.rollback();
            }
        });
    }

    /**
     * Ten portions one after another through one worker; the rates of all and of the last two. A system that does not
     * get through a portion in time is stopped there, and what it did counts.
     */
    private void passing(DataSource ds, String variant) throws Exception {
        int portion = lab.sizes.passingJobs() / 10;
        var count = new AtomicInteger();
        var first = new AtomicLong();
        HANDLER.current = id -> {
            if (count.getAndIncrement() == 0) first.set(System.nanoTime());
        };
        List<Double> rates = new ArrayList<>();
        double jobs = 0, seconds = 0;
        peer.clear(lab.admin);
        peer.fill(lab.admin, 1);
        try (Worker w = peer.worker(ds, Profile.THROUGHPUT, Lab.THREADS);
                Producer waker = peer.remoteProducer(ds, Profile.DEFAULT)) {
            w.start();
            Lab.await(30, () -> count.get() == 1);
            for (boolean inTime = true; inTime && rates.size() < 10; ) {
                count.set(0);
                peer.fill(lab.admin, portion);
                waker.enqueue(portion);
                inTime = Lab.await(PORTION_SECONDS, () -> count.get() > portion);
                double took = (System.nanoTime() - first.get()) / 1e9;
                int done = Math.min(portion, count.get());
                rates.add(done / took);
                jobs += done;
                seconds += took;
                if (inTime) Lab.await(30, () -> lab.unfinished() == 0);
            }
        }
        lab.line(
                "open_transaction",
                variant,
                jobs / seconds,
                "jobs/s",
                "jobs",
                (int) jobs,
                "portions",
                rates.stream().map(Math::round).toArray());
        int n = rates.size();
        double last = n < 2 ? rates.get(n - 1) : 2 / (1 / rates.get(n - 1) + 1 / rates.get(n - 2));
        lab.line("open_transaction", variant + ", last fifth", last, "jobs/s");
    }
}
