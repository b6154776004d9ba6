package bench.peers;

import bench.Db;
import bench.Peer;
import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/** db-scheduler; the job number is the task instance id, no task data (its cheapest form). */
public final class DbScheduler implements Peer {
    private final boolean lockAndFetch;
    /** Fractions of the thread count: docs say 1.0/4.0, its own benchmark used 4.0/20.0; here the better one for each. */
    private final double lower;

    private final double upper;
    private final OneTimeTask<Void> task =
            Tasks.oneTime("noop").execute((instance, ctx) -> HANDLER.current.accept(Long.parseLong(instance.getId())));

    public DbScheduler(boolean lockAndFetch) {
        this.lockAndFetch = lockAndFetch;
        this.lower = lockAndFetch ? 4.0 : 1.0;
        this.upper = lockAndFetch ? 20.0 : 4.0;
    }

    @Override
    public String name() {
        return lockAndFetch ? "db-scheduler-lock" : "db-scheduler-fetch";
    }

    /** The project's own postgresql_tables.sql. */
    @Override
    public void createSchema(Connection c) throws Exception {
        Db.run(
                c,
                "drop table if exists scheduled_tasks",
                """
        create table scheduled_tasks (
          task_name text not null, task_instance text not null, task_data bytea,
          execution_time timestamp with time zone not null, picked boolean not null, picked_by text,
          last_success timestamp with time zone, last_failure timestamp with time zone, consecutive_failures int,
          last_heartbeat timestamp with time zone, version bigint not null, priority smallint,
          primary key (task_name, task_instance))""",
                "create index execution_time_idx on scheduled_tasks (execution_time)",
                "create index last_heartbeat_idx on scheduled_tasks (last_heartbeat)",
                "create index priority_execution_time_idx on scheduled_tasks (priority desc, execution_time asc)");
    }

    @Override
    public void clear(Connection c) throws Exception {
        Db.run(c, "truncate scheduled_tasks");
    }

    @Override
    public void fill(Connection c, int count) throws Exception {
        Db.run(
                c,
                "insert into scheduled_tasks(task_name, task_instance, execution_time, picked, version)"
                        + " select 'noop', g::text, now() - interval '1 hour' + g * interval '1 microsecond', false, 1 from generate_series(0, "
                        + (count - 1) + ") g");
    }

    @Override
    public String unfinishedSql() {
        return "select count(*) from scheduled_tasks";
    }

    @Override
    public Producer remoteProducer(DataSource ds, Profile profile) {
        return producer(SchedulerClient.Builder.create(ds, task).build());
    }

    private Producer producer(SchedulerClient client) {
        return new Producer() {
            @Override
            public void enqueue(long id) {
                client.scheduleIfNotExists(task.instance(Long.toString(id)), Instant.now());
            }

            @Override
            public void enqueueAll(long from, int count) {
                List<TaskInstance<?>> batch = new ArrayList<>(count);
                for (long i = from; i < from + count; i++) batch.add(task.instance(Long.toString(i)));
                client.scheduleBatch(batch, Instant.now());
            }
        };
    }

    @Override
    public Worker worker(DataSource ds, Profile profile, int threads) {
        var b = Scheduler.create(ds, task)
                .schedulerName(new SchedulerName.Fixed(UUID.randomUUID().toString()));
        if (threads > 0) b.threads(threads);
        if (lockAndFetch) b.pollUsingLockAndFetch(0.5, 1.0);
        switch (profile) {
            default -> {}
            case THROUGHPUT -> {
                b.pollingInterval(Duration.ofMillis(100));
                if (lockAndFetch) b.pollUsingLockAndFetch(lower, upper);
                else b.pollUsingFetch(lower, upper);
            }
            case LATENCY -> b.pollingInterval(Duration.ofMillis(100)).enableImmediateExecution();
            case RECOVERY ->
                b.pollingInterval(Duration.ofMillis(100))
                        .heartbeatInterval(Duration.ofSeconds(1))
                        .missedHeartbeatsLimit(4);
        }
        Scheduler scheduler = b.build();
        return new Worker() {
            @Override
            public void start() {
                scheduler.start();
            }

            @Override
            public Optional<Producer> localProducer() {
                return Optional.of(producer(scheduler));
            }

            @Override
            public void close() {
                scheduler.stop();
            }
        };
    }

    @Override
    public String describe(Profile profile) {
        String poll = lockAndFetch ? "lockAndFetch" : "fetch";
        return switch (profile) {
            default ->
                poll + (lockAndFetch ? "(0.5,1.0)" : "(0.5,3.0)")
                        + ", pollingInterval 10s, heartbeat 5min x 6 missed, 10 threads";
            case THROUGHPUT -> poll + "(" + lower + "," + upper + "), pollingInterval 100ms, 16 threads";
            case LATENCY -> poll + " default fractions, pollingInterval 100ms, enableImmediateExecution, 10 threads";
            case RECOVERY ->
                poll + " default fractions, pollingInterval 100ms, heartbeat 1s x 4 missed (4 is its minimum)";
        };
    }
}
