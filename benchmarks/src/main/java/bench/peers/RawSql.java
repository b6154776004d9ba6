package bench.peers;

import bench.Db;
import bench.Peer;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/** Not a product: the cheapest correct queue loop (claim a batch, run, complete the batch), as the limit. */
public final class RawSql implements Peer {
    public static final String CLAIM = "update raw_jobs set state = 1 where id = any(array("
            + "select id from raw_jobs where state = 0 order by id limit ? for update skip locked)) returning id, job";
    public static final String COMPLETE_UPDATE = "update raw_jobs set state = 2 where id = any(?)";
    public static final String COMPLETE_DELETE = "delete from raw_jobs where id = any(?)";

    private static final int BATCH = 100;

    @Override
    public String name() {
        return "raw-sql";
    }

    @Override
    public void createSchema(Connection c) throws Exception {
        Db.run(
                c,
                "drop table if exists raw_jobs",
                "create table raw_jobs(id bigint generated always as identity primary key, job bigint not null, state smallint not null default 0, at timestamptz not null default now())",
                "create index raw_jobs_waiting on raw_jobs(id) where state = 0");
    }

    @Override
    public void clear(Connection c) throws Exception {
        Db.run(c, "truncate raw_jobs");
    }

    @Override
    public void fill(Connection c, int count) throws Exception {
        Db.run(c, "insert into raw_jobs(job) select g from generate_series(0, " + (count - 1) + ") g");
    }

    @Override
    public String unfinishedSql() {
        return "select count(*) from raw_jobs where state < 2";
    }

    @Override
    public Producer remoteProducer(DataSource ds, Profile profile) {
        String insert = profile == Profile.LATENCY
                ? "with i as (insert into raw_jobs(job) values (?) returning 1) select pg_notify('raw_jobs', '') from i"
                : "insert into raw_jobs(job) values (?)";
        return new Producer() {
            @Override
            public void enqueue(long id) throws Exception {
                try (Connection c = ds.getConnection();
                        PreparedStatement s = c.prepareStatement(insert)) {
                    s.setLong(1, id);
                    s.execute();
                }
            }

            @Override
            public void enqueueAll(long from, int count) throws Exception {
                var rows = new StringBuilder();
                for (long i = from; i < from + count; i++) rows.append(i).append('\n');
                try (Connection c = ds.getConnection()) {
                    CopyManager copy = c.unwrap(PGConnection.class).getCopyAPI();
                    copy.copyIn("copy raw_jobs(job) from stdin", new java.io.StringReader(rows.toString()));
                }
            }
        };
    }

    /** Claims up to {@code max} jobs; returns (row id, job) pairs. */
    public static List<long[]> claim(Connection c, int max) throws Exception {
        List<long[]> got = new ArrayList<>();
        try (PreparedStatement s = c.prepareStatement(CLAIM)) {
            s.setInt(1, max);
            try (ResultSet r = s.executeQuery()) {
                while (r.next()) got.add(new long[] {r.getLong(1), r.getLong(2)});
            }
        }
        return got;
    }

    public static void complete(Connection c, List<long[]> jobs, String sql) throws Exception {
        Array ids = c.createArrayOf("bigint", jobs.stream().map(j -> j[0]).toArray());
        try (PreparedStatement s = c.prepareStatement(sql)) {
            s.setArray(1, ids);
            s.executeUpdate();
        }
    }

    @Override
    public Worker worker(DataSource ds, Profile profile, int threads) {
        int n = threads > 0 ? threads : 2;
        var wake = new Semaphore(0);
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < n; i++) all.add(new Thread(() -> work(ds, wake, profile == Profile.LATENCY ? 1_000 : 100)));
        if (profile == Profile.LATENCY) all.add(new Thread(() -> listen(ds, wake)));
        return new Worker() {
            @Override
            public void start() {
                all.forEach(Thread::start);
            }

            @Override
            public Optional<Producer> localProducer() {
                return Optional.empty();
            }

            @Override
            public void close() throws Exception {
                for (Thread t : all) t.interrupt();
                for (Thread t : all) t.join();
            }
        };
    }

    private static void work(DataSource ds, Semaphore wake, int pollMillis) {
        while (!Thread.currentThread().isInterrupted()) {
            try (Connection c = ds.getConnection()) {
                List<long[]> got;
                while (!Thread.currentThread().isInterrupted() && !(got = claim(c, BATCH)).isEmpty()) {
                    got.forEach(j -> HANDLER.current.accept(j[1]));
                    complete(c, got, COMPLETE_UPDATE);
                }
                wake.tryAcquire(pollMillis, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                return;
            } catch (Exception e) {
                if (Thread.currentThread().isInterrupted()) return;
                throw new IllegalStateException(e);
            }
        }
    }

    private static void listen(DataSource ds, Semaphore wake) {
        try (Connection c = ds.getConnection()) {
            Db.run(c, "listen raw_jobs");
            PGConnection pg = c.unwrap(PGConnection.class);
            while (!Thread.currentThread().isInterrupted()) {
                var n = pg.getNotifications(200);
                if (n != null && n.length > 0) wake.release();
            }
        } catch (Exception e) {
            if (!Thread.currentThread().isInterrupted()) throw new IllegalStateException(e);
        }
    }

    @Override
    public String describe(Profile profile) {
        return switch (profile) {
            case LATENCY -> "INSERT + NOTIFY, LISTEN wakes one of 2 claimers, 1s poll as fallback";
            case THROUGHPUT -> "16 threads, batch 100, UPDATE to done";
            default -> "100ms poll, 2 claimers, batch 100";
        };
    }
}
