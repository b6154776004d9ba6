package bench.peers;

import bench.Db;
import bench.Peer;
import java.sql.Connection;
import java.util.Optional;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.StorageProviderUtils.DatabaseOptions;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jobrunr.utils.mapper.jackson.JacksonJsonMapper;

/** JobRunr OSS with JobRequests (cheaper than lambdas: no byte code analysis). */
public final class JobRunrPeer implements Peer {

    public static class Noop implements JobRequest {
        public long number;

        public Noop() {}

        Noop(long number) {
            this.number = number;
        }

        @Override
        public Class<NoopHandler> getJobRequestHandler() {
            return NoopHandler.class;
        }
    }

    public static class NoopHandler implements JobRequestHandler<Noop> {
        @Override
        public void run(Noop job) {
            HANDLER.current.accept(job.number);
        }
    }

    @Override
    public String name() {
        return "jobrunr";
    }

    @Override
    public int drainJobs() {
        return 20_000;
    }

    @Override
    public void createSchema(Connection c) throws Exception {
        Db.run(
                c,
                "drop view if exists jobrunr_jobs_stats",
                "drop table if exists jobrunr_jobs, jobrunr_metadata, jobrunr_recurring_jobs, jobrunr_backgroundjobservers, jobrunr_migrations");
    }

    private static StorageProvider storage(DataSource ds) {
        var storage = new PostgresStorageProvider(ds, DatabaseOptions.CREATE);
        storage.setJobMapper(new JobMapper(new JacksonJsonMapper()));
        return storage;
    }

    @Override
    public void clear(Connection c) throws Exception {
        if (Db.number(c, "select count(*) from pg_tables where tablename = 'jobrunr_jobs'") > 0)
            Db.run(c, "truncate jobrunr_jobs");
    }

    /** One job through the API, then copies of its row under other ids. */
    @Override
    public void fill(Connection c, int count) throws Exception {
        var one = new org.postgresql.ds.PGSimpleDataSource();
        one.setURL(c.getMetaData().getURL());
        one.setUser("postgres");
        StorageProvider storage = storage(one);
        new JobRequestScheduler(storage).enqueue(new Noop(0));
        storage.close();
        Db.run(c, """
        insert into jobrunr_jobs(id, version, jobAsJson, jobSignature, state, createdAt, updatedAt, scheduledAt, recurringJobId)
        select n, version, replace(jobAsJson, trim(id), n), jobSignature, state, createdAt + g * interval '1 microsecond',
               updatedAt + g * interval '1 microsecond', scheduledAt, recurringJobId
        from (select * from jobrunr_jobs limit 1) j,
             generate_series(1, %d) g,
             lateral (select '00000000-0000-4000-8000-' || lpad(to_hex(g), 12, '0') as n) i""".formatted(count - 1));
    }

    @Override
    public String unfinishedSql() {
        return "select count(*) from jobrunr_jobs where state in ('ENQUEUED', 'PROCESSING')";
    }

    @Override
    public Producer remoteProducer(DataSource ds, Profile profile) {
        var scheduler = new JobRequestScheduler(storage(ds));
        return new Producer() {
            @Override
            public void enqueue(long id) {
                scheduler.enqueue(new Noop(id));
            }

            @Override
            public void enqueueAll(long from, int count) {
                scheduler.enqueue(LongStream.range(from, from + count).mapToObj(Noop::new));
            }
        };
    }

    @Override
    public Worker worker(DataSource ds, Profile profile, int threads) {
        var cfg = BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration();
        if (threads > 0) cfg.andWorkerCount(threads);
        if (profile != Profile.DEFAULT) cfg.andPollIntervalInSeconds(5);
        var server = new BackgroundJobServer(storage(ds), new JacksonJsonMapper(), null, cfg);
        return new Worker() {
            @Override
            public void start() {
                server.start();
            }

            @Override
            public Optional<Producer> localProducer() {
                return Optional.empty();
            } // no in-process wake-up in OSS

            @Override
            public void close() {
                server.stop();
            }
        };
    }

    @Override
    public String describe(Profile profile) {
        return profile == Profile.DEFAULT
                ? "pollInterval 15s, server timeout 4 x poll, workers 8 x cores = 16"
                : "pollInterval 5s (the minimum it accepts for SQL), server timeout 4 x poll (minimum), 16 workers";
    }
}
