package bench;

import bench.Peer.HANDLER;
import bench.Peer.Producer;
import bench.Peer.Profile;
import bench.Peer.Worker;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Where the time goes: processor time of this JVM and of the server, idle time of the machine and WAL, all per job. */
final class ProfileWorkloads {
    private static final int PRODUCERS = 4;
    private static final int CHUNK = 10_000;
    private static final int SECONDS = Sizes.QUICK ? 1 : 6;

    private final Lab lab;
    private final AtomicLong jobs = new AtomicLong();

    ProfileWorkloads(Lab lab) {
        this.lab = lab;
    }

    void all() throws Exception {
        lab.peer.createSchema(lab.admin);
        try (var ds = lab.db.pool(Lab.THREADS + 4, false)) {
            try (Producer p = lab.peer.remoteProducer(ds, Profile.DEFAULT)) {
                lab.lived();
                enqueueing(PRODUCERS, () -> p.enqueue(10_000_000 + jobs.getAndIncrement()));
                Thread.sleep(2 * lab.sizes.warmUpSeconds() * 1_000L);
                report("single enqueue", () -> Thread.sleep(SECONDS * 1_000L));
                stopEnqueueing();
                lab.lived();
                enqueueing(1, () -> p.enqueueAll(10_000_000 + jobs.getAndAdd(CHUNK), CHUNK));
                report("bulk enqueue", () -> Thread.sleep(SECONDS * 1_000L));
                stopEnqueueing();
            }
            drain(ds);
        }
    }

    /** A long drain; the middle of it counts. */
    private void drain(javax.sql.DataSource ds) throws Exception {
        int waiting = lab.sizes.drainJobs(lab.peer) * (Sizes.QUICK ? 1 : 8);
        lab.warmUp(2, i -> lab.drainAll(ds, lab.sizes.drainJobs(lab.peer) / 4));
        lab.peer.clear(lab.admin);
        lab.peer.fill(lab.admin, waiting);
        Db.run(lab.admin, "vacuum analyze", "checkpoint");
        var count = new AtomicInteger();
        HANDLER.current = id -> count.incrementAndGet();
        try (Worker w = lab.peer.worker(ds, Profile.THROUGHPUT, Lab.THREADS)) {
            w.start();
            Lab.await(60, () -> count.get() >= waiting / 5);
            jobs.set(count.get());
            report("drain no-op", () -> {
                Lab.await(60, () -> count.get() >= waiting * 4 / 5);
                jobs.set(count.get());
            });
            Lab.await(60, () -> count.get() >= waiting);
        }
    }

    private interface Step {
        void run() throws Exception;
    }

    private final AtomicBoolean stop = new AtomicBoolean();
    private CountDownLatch stopped = new CountDownLatch(0);

    private void enqueueing(int threads, Step step) throws InterruptedException {
        stop.set(false);
        stopped = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            new Thread(() -> {
                        try {
                            while (!stop.get()) step.run();
                        } catch (Exception e) {
                            e.printStackTrace();
                        }
                        stopped.countDown();
                    })
                    .start();
        }
        Thread.sleep(500);
    }

    private void stopEnqueueing() throws InterruptedException {
        stop.set(true);
        stopped.await();
    }

    private void report(String variant, Step step) throws Exception {
        long first = jobs.get();
        Usage before = Usage.now(lab);
        step.run();
        Usage after = Usage.now(lab);
        double n = jobs.get() - first;
        lab.line("profile", variant + ", this JVM", (after.jvmMicros() - before.jvmMicros()) / n, "µs/job");
        lab.line("profile", variant + ", server", (after.serverMicros() - before.serverMicros()) / n, "µs/job");
        lab.line("profile", variant + ", idle", (after.idleMicros() - before.idleMicros()) / n, "µs/job");
        lab.line("profile", variant + ", WAL", (after.wal() - before.wal()) / n, "bytes/job");
    }
}
