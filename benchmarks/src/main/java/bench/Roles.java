package bench;

import bench.Peer.HANDLER;
import bench.Peer.Producer;
import bench.Peer.Profile;
import bench.Peer.Worker;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** What another process does for a workload: see {@link Child}. */
final class Roles {
    private static final int PACED_THREADS = 4;

    private final Lab lab;
    private final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    Roles(Lab lab) {
        this.lab = lab;
    }

    private interface Answer {
        String to(String[] question) throws Exception;
    }

    private void serve(Answer answer) throws Exception {
        System.out.println(Child.MARK + "up");
        for (String line; (line = in.readLine()) != null; ) {
            String[] question = line.split(" ");
            System.out.println(
                    Child.MARK + (question[0].equals("time") ? Long.toString(System.nanoTime()) : answer.to(question)));
        }
    }

    /**
     * {@code one <from> <count> <interval nanos>}, {@code many <from> <per second> <seconds>} and {@code paced <from>
     * <count> <per second>}.
     */
    void producer(Profile profile) throws Exception {
        try (var ds = lab.db.pool(4, false);
                Producer p = lab.peer.remoteProducer(ds, profile)) {
            serve(q -> {
                long from = Long.parseLong(q[1]);
                int first = Integer.parseInt(q[2]);
                return switch (q[0]) {
                    case "one" -> one(p, from, first, Long.parseLong(q[3]));
                    case "many" -> many(p, from, first, Integer.parseInt(q[3]));
                    case "paced" -> paced(p, from, first, Integer.parseInt(q[3]));
                    default -> throw new IllegalArgumentException(q[0]);
                };
            });
        }
    }

    /** Answers when each call began and when it returned. */
    private static String one(Producer p, long from, int count, long interval) throws Exception {
        var times = new StringJoiner(",");
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            LockSupport.parkNanos(start + i * interval - System.nanoTime());
            long called = System.nanoTime();
            p.enqueue(from + i);
            times.add(called + ":" + System.nanoTime());
        }
        return times.toString();
    }

    /** A hundred chunks per second; answers how many jobs each had and when it was committed. */
    private static String many(Producer p, long from, int perSecond, int seconds) throws Exception {
        var chunks = new StringJoiner(",");
        long start = System.nanoTime(), sent = 0;
        for (int i = 1; System.nanoTime() - start < seconds * 1_000_000_000L; i++) {
            LockSupport.parkNanos(start + i * 10_000_000L - System.nanoTime());
            int count = (int) Math.min(perSecond, (System.nanoTime() - start) * perSecond / 1_000_000_000L - sent);
            if (count <= 0) continue;
            p.enqueueAll(from + sent, count);
            chunks.add(count + ":" + System.nanoTime());
            sent += count;
        }
        return chunks.toString();
    }

    /**
     * Each task at its time, by several threads: one that is late does not put off those after it. Answers when the first
     * was due and when the last call returned.
     */
    private static String paced(Producer p, long from, int count, int perSecond) throws Exception {
        long start = System.nanoTime() + 100_000_000L, interval = 1_000_000_000L / perSecond;
        var next = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        List<Exception> failures = new CopyOnWriteArrayList<>();
        for (int i = 0; i < PACED_THREADS; i++) {
            var thread = new Thread(() -> {
                try {
                    for (int job; (job = next.getAndIncrement()) < count; ) {
                        for (long left; (left = start + job * interval - System.nanoTime()) > 0; )
                            LockSupport.parkNanos(left);
                        p.enqueue(from + job);
                    }
                } catch (Exception e) {
                    failures.add(e);
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) thread.join();
        if (!failures.isEmpty()) throw failures.get(0);
        return start + ":" + System.nanoTime();
    }

    /** {@code count}, {@code reset}, and {@code ids <file>}: when its first handler began, how many ran twice. */
    void worker(Profile profile, int threads) throws Exception {
        var count = new AtomicInteger();
        var twice = new AtomicInteger();
        var first = new AtomicLong();
        var ids = new BitSet();
        HANDLER.current = id -> {
            long now = System.nanoTime();
            first.compareAndSet(0, now);
            synchronized (ids) {
                if (ids.get((int) id)) twice.incrementAndGet();
                ids.set((int) id);
            }
            count.incrementAndGet();
        };
        try (var ds = lab.db.pool(threads + 4, false);
                Worker w = lab.peer.worker(ds, profile, threads)) {
            w.start();
            serve(q -> {
                switch (q[0]) {
                    case "count" -> {
                        return Integer.toString(count.get());
                    }
                    case "reset" -> {
                        synchronized (ids) {
                            ids.clear();
                        }
                        count.set(0);
                        twice.set(0);
                        first.set(0);
                        return "ok";
                    }
                    case "ids" -> {
                        synchronized (ids) {
                            Files.write(Path.of(q[1]), ids.toByteArray());
                        }
                        return first.get() + ":" + twice.get();
                    }
                    default -> throw new IllegalArgumentException(q[0]);
                }
            });
        }
    }

    /** Writes each run into a table, then runs on for that long. */
    void crashWorker(Profile profile, String name, long sleepMillis) throws Exception {
        try (var events = lab.db.pool(2, false);
                var ds = lab.db.pool(10, false)) {
            HANDLER.current = id -> {
                try (Connection c = events.getConnection()) {
                    Db.run(c, "insert into bench_events values (" + id + ", '" + name + "')");
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
                LockSupport.parkUntil(System.currentTimeMillis() + sleepMillis);
            };
            lab.peer.worker(ds, profile, 100).start();
            Db.run(lab.admin, "insert into bench_events values (-2, '" + name + "-up')");
            Thread.sleep(600_000);
        }
    }
}
