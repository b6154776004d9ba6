package bench;

import static bench.Peer.HANDLER;

import bench.Peer.Profile;
import bench.Peer.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Completions at a constant rate while retention runs: does history stay as large as its retention, and does the rate of the
 * last stretch stay that of the first? {@code BENCH_JVM_OPTIONS="-Dhistory.minutes=1 -Dhistory.rate=5000"} shortens it.
 */
final class HistoryWorkload {
    private static final int SECONDS = 60 * Integer.getInteger("history.minutes", Sizes.QUICK ? 1 : 10);
    private static final int RATE = Integer.getInteger("history.rate", Sizes.QUICK ? 1_000 : 20_000);
    private static final int CHUNK = 2_000;
    /** Of the run that is compared: a minute, or what is left of a short run for two of them. */
    private static final int STRETCH = Math.min(60, SECONDS / 3);
    /** A fifth of the run, so that history is at its full size for most of it. */
    private static final Duration KEEP = Duration.ofSeconds(Math.max(12, SECONDS / 5));

    private static final Duration INTERVAL = Duration.ofSeconds(Math.max(1, KEEP.toSeconds() / 24));

    private final Lab lab;
    private final AtomicLong ended = new AtomicLong();
    private final AtomicBoolean stop = new AtomicBoolean();

    HistoryWorkload(Lab lab) {
        this.lab = lab;
    }

    private record Sample(double seconds, long ended, long bytes, long wal) {}

    void run() throws Exception {
        lab.peer.createSchema(lab.admin);
        HANDLER.current = id -> ended.incrementAndGet();
        List<Sample> samples = new ArrayList<>();
        try (var ds = lab.db.pool(Lab.THREADS + 4, false);
                Worker worker = lab.peer.worker(ds, Profile.THROUGHPUT, Lab.THREADS, retention())) {
            worker.start();
            var producer = new Thread(() -> produce(worker));
            producer.start();
            long start = System.nanoTime();
            for (int second = 0; second <= SECONDS; second++) {
                LockSupport.parkNanos(start + second * 1_000_000_000L - System.nanoTime());
                samples.add(sample((System.nanoTime() - start) / 1e9));
            }
            stop.set(true);
            producer.join();
        }
        report(samples);
    }

    private static Map<String, Object> retention() {
        return Map.of(
                "konduit.queue.retention.completed", KEEP.toSeconds() + "s",
                "konduit.queue.retention.interval", INTERVAL.toSeconds() + "s");
    }

    /** At the rate, but never more than two seconds of it ahead: a slow system must not only collect a backlog. */
    private void produce(Worker worker) {
        try (var producer = worker.localProducer().orElseThrow()) {
            long start = System.nanoTime();
            for (long sent = 0; !stop.get(); sent += CHUNK) {
                LockSupport.parkNanos(start + sent * 1_000_000_000L / RATE - System.nanoTime());
                while (sent - ended.get() > 2L * RATE && !stop.get()) LockSupport.parkNanos(1_000_000);
                producer.enqueueAll(sent, CHUNK);
            }
        } catch (Exception e) {
            throw new IllegalStateException("The producer has ended.", e);
        }
    }

    private Sample sample(double seconds) {
        return new Sample(
                seconds,
                ended.get(),
                lab.query(lab.peer.historyBytesSql()),
                lab.query("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn"));
    }

    private void report(List<Sample> samples) {
        Sample first = samples.get(SECONDS / 20);
        Sample last = samples.get(samples.size() - 1);
        // the backlog of the start is worked off by then
        Sample settled = samples.get(SECONDS / 6);
        double before = rate(settled, samples.get(SECONDS / 6 + STRETCH));
        double after = rate(samples.get(samples.size() - 1 - STRETCH), last);
        Object[] params = {"seconds", SECONDS, "asked_per_s", RATE, "keep_s", KEEP.toSeconds(), "stretch_s", STRETCH};
        lab.line("history", "first stretch", before, "completions/s", params);
        lab.line("history", "last stretch", after, "completions/s", params);
        lab.line("history", "last to first", after / before, "ratio", params);
        double wal = (last.wal() - first.wal()) / (double) (last.ended() - first.ended());
        lab.line("history", "WAL", wal, "bytes/job", params);
        // what a second of completions takes, from the seconds before anything was removed
        Sample full = samples.get((int) Math.min(samples.size() - 1, KEEP.toSeconds() - 1));
        double bytesPerTask = full.bytes() / (double) Math.max(1, full.ended());
        long most = samples.stream().mapToLong(Sample::bytes).max().orElseThrow();
        double kept = bytesPerTask * after * KEEP.toSeconds();
        lab.line("history", "greatest size to retention", most / kept, "ratio", params);
        lab.line("history", "size at the end", last.bytes() / 1048576.0, "MB", params);
    }

    private static double rate(Sample from, Sample to) {
        return (to.ended() - from.ended()) / (to.seconds() - from.seconds());
    }
}
