package bench;

import bench.Peer.Producer;
import bench.Peer.Profile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** How fast jobs get in, with nobody consuming them. */
final class EnqueueWorkloads {
    private static final int PRODUCERS = 4;
    private static final long BASE = 10_000_000; // job numbers away from those of fill()
    private static final long LIMIT_NANOS = Duration.ofSeconds(20).toNanos();

    private final Lab lab;

    EnqueueWorkloads(Lab lab) {
        this.lab = lab;
    }

    /**
     * 4 threads, one transaction per job. A system with wake-ups has a listening worker in another process, and is
     * measured with and without them, turn by turn.
     */
    void single() throws Exception {
        Peer peer = lab.peer;
        peer.createSchema(lab.admin);
        try (var ds = lab.db.pool(PRODUCERS + 4, false);
                Producer p = peer.remoteProducer(ds, Profile.DEFAULT);
                Producer quiet = peer.hasWakeUps() ? peer.remoteProducer(ds, Profile.NO_WAKE_UPS) : null;
                Child listener =
                        peer.hasWakeUps() ? Child.start(lab, "worker", Profile.OTHER_QUEUE.name(), "0") : null) {
            int jobs = lab.sizes.enqueueJobs();
            lab.warmUp(2, i -> enqueue(p, i * (long) jobs, jobs / 2));
            if (quiet == null) {
                double[] rates = lab.repeat(2 * lab.sizes.repetitions(), () -> once(p));
                lab.line("enqueue_single", "4 threads", rates, "jobs/s", "jobs", jobs);
                return;
            }
            List<Double> with = new ArrayList<>(), without = new ArrayList<>();
            once(quiet);
            lab.repeat(2 * lab.sizes.repetitions(), () -> {
                without.add(once(quiet));
                with.add(once(p));
                return 0;
            });
            lab.line("enqueue_single", "4 threads", array(with), "jobs/s", "jobs", jobs, "wake_ups", true);
            lab.line("enqueue_single", "4 threads, wake-ups off", array(without), "jobs/s", "jobs", jobs);
        }
    }

    /** The same with sessions that listen: nobody works, and each hears of every message. */
    void listeners() throws Exception {
        lab.peer.createSchema(lab.admin);
        try (var ds = lab.db.pool(PRODUCERS + 4, false);
                Producer p = lab.peer.remoteProducer(ds, Profile.DEFAULT);
                Producer quiet = lab.peer.remoteProducer(ds, Profile.NO_WAKE_UPS)) {
            int jobs = lab.sizes.enqueueJobs();
            lab.warmUp(i -> enqueue(p, i * (long) jobs, jobs / 2));
            for (int listeners : new int[] {0, 20, 100}) {
                try (Listeners sessions = new Listeners(lab.db, listeners)) {
                    List<Double> with = new ArrayList<>(), without = new ArrayList<>(), perSecond = new ArrayList<>();
                    lab.repeat(() -> {
                        without.add(once(quiet));
                        long heard = sessions.heard(), begun = System.nanoTime();
                        with.add(once(p));
                        perSecond.add((sessions.heard() - heard)
                                * 1e9
                                / Math.max(1, listeners)
                                / (System.nanoTime() - begun));
                        return 0;
                    });
                    String variant = listeners + " listeners";
                    lab.line("notify", variant, array(with), "jobs/s", "jobs", jobs);
                    lab.line("notify", variant + ", wake-ups off", array(without), "jobs/s", "jobs", jobs);
                    if (listeners > 0) lab.line("notify", variant + ", notifications", array(perSecond), "1/s");
                }
            }
        }
    }

    private static double[] array(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }

    private double once(Producer p) throws Exception {
        lab.lived();
        return enqueue(p, BASE, lab.sizes.enqueueJobs());
    }

    private static double enqueue(Producer p, long base, int jobs) throws Exception {
        var next = new AtomicInteger();
        var done = new CountDownLatch(PRODUCERS);
        var failures = new AtomicInteger();
        long t0 = System.nanoTime();
        for (int t = 0; t < PRODUCERS; t++) {
            new Thread(() -> {
                        try {
                            for (int id; (id = next.getAndIncrement()) < jobs && System.nanoTime() - t0 < LIMIT_NANOS; )
                                p.enqueue(base + id);
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
        return Math.min(jobs, next.get() - PRODUCERS) * 1e9 / (System.nanoTime() - t0);
    }

    /** From one thread through the fastest API; stops after 20 s per repetition. */
    void bulk() throws Exception {
        int jobs = lab.sizes.bulkJobs(), chunk = 10_000;
        lab.peer.createSchema(lab.admin);
        try (var ds = lab.db.pool(4, false);
                Producer p = lab.peer.remoteProducer(ds, Profile.DEFAULT)) {
            lab.warmUp(2, i -> p.enqueueAll(i * (long) chunk, chunk));
            double[] rates = lab.repeat(2 * lab.sizes.repetitions(), () -> {
                lab.lived();
                long t0 = System.nanoTime();
                int n = 0;
                while (n < jobs && System.nanoTime() - t0 < LIMIT_NANOS) {
                    p.enqueueAll(BASE + n, chunk);
                    n += chunk;
                }
                return n * 1e9 / (System.nanoTime() - t0);
            });
            lab.line("enqueue_bulk", "one thread", rates, "jobs/s", "jobs", jobs, "chunk", chunk);
        }
    }
}
