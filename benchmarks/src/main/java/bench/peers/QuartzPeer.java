package bench.peers;

import bench.Db;
import bench.Peer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.impl.SchedulerRepository;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/** Quartz as a queue: one durable job, one simple trigger per unit of work (cheaper than a job per unit). */
public final class QuartzPeer implements Peer {
    private static final String NAME = "bench";

    public static class Noop implements Job {
        @Override
        public void execute(JobExecutionContext ctx) {
            HANDLER.current.accept(Long.parseLong(ctx.getMergedJobDataMap().getString("n")));
        }
    }

    @Override
    public String name() {
        return "quartz";
    }

    @Override
    public int drainJobs() {
        return 5_000;
    }

    @Override
    public void createSchema(Connection c) throws Exception {
        try (var in = Scheduler.class.getResourceAsStream("/org/quartz/impl/jdbcjobstore/tables_postgres.sql")) {
            Db.run(c, new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Override
    public void clear(Connection c) throws Exception {
        Db.run(
                c,
                "truncate qrtz_simple_triggers, qrtz_triggers, qrtz_fired_triggers, qrtz_simprop_triggers, qrtz_cron_triggers, qrtz_blob_triggers");
    }

    private static JobDetail job() {
        return JobBuilder.newJob(Noop.class)
                .withIdentity("noop")
                .storeDurably()
                .requestRecovery()
                .build();
    }

    private static Trigger trigger(long id) {
        return TriggerBuilder.newTrigger()
                .withIdentity("t" + id)
                .forJob("noop")
                .usingJobData("n", Long.toString(id))
                .startNow()
                .withSchedule(SimpleScheduleBuilder.simpleSchedule().withMisfireHandlingInstructionIgnoreMisfires())
                .build();
    }

    /** One trigger through the API, then copies of its rows under other names. */
    @Override
    public void fill(Connection c, int count) throws Exception {
        var one = new org.postgresql.ds.PGSimpleDataSource();
        one.setURL(c.getMetaData().getURL());
        one.setUser("postgres");
        try (Producer p = remoteProducer(one, Profile.DEFAULT)) {
            p.enqueue(0);
        }
        String range = "generate_series(1, " + (count - 1) + ") g";
        Db.run(
                c,
                "insert into qrtz_triggers select sched_name, 't' || g, trigger_group, job_name, job_group, description, next_fire_time + g / 1000,"
                        + " prev_fire_time, priority, trigger_state, trigger_type, start_time, end_time, calendar_name, misfire_instr, job_data"
                        + " from (select * from qrtz_triggers limit 1) t, " + range,
                "analyze qrtz_triggers", // or the foreign key check of the next insert keeps its plan for an empty
                // table
                "insert into qrtz_simple_triggers select sched_name, 't' || g, trigger_group, repeat_count, repeat_interval, times_triggered"
                        + " from (select * from qrtz_simple_triggers limit 1) t, " + range);
    }

    @Override
    public String unfinishedSql() {
        return "select (select count(*) from qrtz_triggers) + (select count(*) from qrtz_fired_triggers)";
    }

    @Override
    public Producer remoteProducer(DataSource ds, Profile profile) throws Exception {
        Scheduler s = scheduler(ds, profile, 1);
        s.addJob(job(), true);
        return producer(s, true);
    }

    private static Producer producer(Scheduler s, boolean own) {
        return new Producer() {
            @Override
            public void enqueue(long id) throws Exception {
                s.scheduleJob(trigger(id));
            }

            @Override
            public void enqueueAll(long from, int count) throws Exception {
                Set<Trigger> all = new LinkedHashSet<>();
                for (long i = from; i < from + count; i++) all.add(trigger(i));
                s.scheduleJobs(Map.of(job(), all), true);
            }

            @Override
            public void close() throws Exception {
                if (own) s.shutdown();
            }
        };
    }

    @Override
    public Worker worker(DataSource ds, Profile profile, int threads) throws Exception {
        Scheduler s = scheduler(ds, profile, threads);
        return new Worker() {
            @Override
            public void start() throws Exception {
                s.addJob(job(), true);
                s.start();
            }

            @Override
            public Optional<Producer> localProducer() {
                return Optional.of(producer(s, false));
            }

            @Override
            public void close() throws Exception {
                s.shutdown(true);
            }
        };
    }

    private static Scheduler scheduler(DataSource ds, Profile profile, int threads) throws Exception {
        String pool = "ds" + UUID.randomUUID();
        DBConnectionManager.getInstance().addConnectionProvider(pool, new ConnectionProvider() {
            @Override
            public Connection getConnection() throws SQLException {
                return ds.getConnection();
            }

            @Override
            public void shutdown() {}

            @Override
            public void initialize() {}
        });
        var p = new Properties();
        p.setProperty("org.quartz.scheduler.instanceName", NAME);
        p.setProperty("org.quartz.scheduler.instanceId", UUID.randomUUID().toString());
        p.setProperty("org.quartz.threadPool.class", "org.quartz.simpl.SimpleThreadPool");
        p.setProperty("org.quartz.threadPool.threadCount", Integer.toString(threads > 0 ? threads : 10));
        p.setProperty("org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
        p.setProperty("org.quartz.jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate");
        p.setProperty("org.quartz.jobStore.dataSource", pool);
        p.setProperty("org.quartz.jobStore.isClustered", "true");
        if (profile == Profile.THROUGHPUT) {
            p.setProperty("org.quartz.scheduler.batchTriggerAcquisitionMaxCount", Integer.toString(threads));
            p.setProperty("org.quartz.jobStore.acquireTriggersWithinLock", "true");
        }
        if (profile == Profile.LATENCY) p.setProperty("org.quartz.scheduler.idleWaitTime", "1000");
        if (profile == Profile.RECOVERY) {
            p.setProperty("org.quartz.scheduler.idleWaitTime", "1000");
            p.setProperty("org.quartz.jobStore.clusterCheckinInterval", "1000");
        }
        Scheduler s = new StdSchedulerFactory(p).getScheduler();
        SchedulerRepository.getInstance().remove(NAME); // so that a second node may live in this JVM
        return s;
    }

    @Override
    public String describe(Profile profile) {
        return "JobStoreTX clustered, "
                + switch (profile) {
                    default -> "idleWaitTime 30s, clusterCheckinInterval 7.5s, batch 1, 10 threads";
                    case THROUGHPUT -> "batchTriggerAcquisitionMaxCount 16, acquireTriggersWithinLock, 16 threads";
                    case LATENCY -> "idleWaitTime 1s (its minimum)";
                    case RECOVERY -> "clusterCheckinInterval 1s (+ 7.5s hard-coded grace), idleWaitTime 1s";
                };
    }
}
