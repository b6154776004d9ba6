package bench.peers;

import bench.Db;
import bench.Peer;
import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.admin.ReclaimResult;
import io.konduit.queue.admin.TaskAdministration;
import io.konduit.queue.schema.QueueSchemaMigrator;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** konduit-queue through its starter, as an application has it: metrics, fencing and history are on. */
public final class Konduit implements Peer {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        Handlers handlers() {
            return new Handlers();
        }
    }

    static class Handlers {
        @JobHandler("noop")
        void run(long id) {
            HANDLER.current.accept(id);
        }
    }

    @Override
    public String name() {
        return "konduit";
    }

    @Override
    public void createSchema(Connection c) throws Exception {
        Db.run(c, "drop schema if exists public cascade", "create schema public");
        new QueueSchemaMigrator(new DriverManagerDataSource(c.getMetaData().getURL(), "postgres", ""), null).migrate();
    }

    @Override
    public void clear(Connection c) throws Exception {
        Db.run(c, "truncate konduit_task, konduit_task_history, konduit_task_incident");
    }

    @Override
    public void fill(Connection c, int count) throws Exception {
        Db.run(
                c,
                "insert into konduit_task (queue, type, payload, priority, status, run_at, reapable, created_at)"
                        + " select 'default', 'noop', to_jsonb(g), 2, 'PENDING',"
                        + " clock_timestamp() - interval '1 hour' + g * interval '1 microsecond', true, clock_timestamp()"
                        + " from generate_series(0, " + (count - 1) + ") g");
    }

    @Override
    public void fillFuture(Connection c, int count) throws Exception {
        Db.run(
                c,
                "insert into konduit_task (queue, type, payload, priority, status, run_at, reapable, created_at)"
                        + " select 'default', 'noop', to_jsonb(g), 0, 'PENDING',"
                        + " clock_timestamp() + interval '1 day' + g * interval '1 microsecond', true, clock_timestamp()"
                        + " from generate_series(0, " + (count - 1) + ") g");
    }

    @Override
    public void fillOrphans(Connection c, int count) throws Exception {
        Db.run(
                c,
                "insert into konduit_task (queue, type, payload, priority, status, run_at, attempts, max_attempts,"
                        + " reapable, lease_epoch, locked_by, locked_at, lock_timeout_at, created_at)"
                        + " select 'default', 'noop', to_jsonb(g), 2, 'RUNNING', clock_timestamp() - interval '1 hour', 1, 3,"
                        + " true, 1, ('00000000-0000-4000-8000-' || lpad((g % 10)::text, 12, '0'))::uuid,"
                        + " clock_timestamp() - interval '1 hour',"
                        + " clock_timestamp() - interval '10 minutes' + g * interval '1 microsecond',"
                        + " clock_timestamp() - interval '1 hour'"
                        + " from generate_series(0, " + (count - 1) + ") g");
    }

    @Override
    public double reclaimSeconds(DataSource ds, int orphans) throws Exception {
        try (var context = start(ds, Map.of("konduit.queue.worker.enabled", false))) {
            var administration = context.getBean(TaskAdministration.class);
            for (int i = 0; i < 60; i++) {
                long t0 = System.nanoTime();
                ReclaimResult result = administration.reclaimNow("benchmark");
                double seconds = (System.nanoTime() - t0) / 1e9;
                if (result.reclaimed() == orphans) {
                    return seconds;
                }
                Thread.sleep(1_000); // after a start the first pass may be put off
            }
        }
        throw new IllegalStateException("The orphans were not taken back within a minute.");
    }

    @Override
    public boolean hasWakeUps() {
        return true;
    }

    @Override
    public boolean recoversFast() {
        return true;
    }

    @Override
    public String unfinishedSql() {
        return "select (select count(*) from (select 1 from konduit_task where status = 'RUNNING' limit 1) r)"
                + " + (select count(*) from (select 1 from konduit_task where status = 'PENDING' and queue = 'default'"
                + " and priority = 2 limit 1) p)";
    }

    @Override
    public Producer remoteProducer(DataSource ds, Profile profile) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("konduit.queue.worker.enabled", false);
        if (profile == Profile.NO_WAKE_UPS) {
            settings.put("konduit.queue.worker.listen", false);
        }
        return producer(start(ds, settings), true);
    }

    private static Producer producer(ConfigurableApplicationContext context, boolean owned) {
        TaskQueue queue = context.getBean(TaskQueue.class);
        return new Producer() {
            @Override
            public void enqueue(long id) {
                queue.enqueue("noop", id);
            }

            @Override
            public void enqueueAll(long from, int count) {
                List<TaskRequest> requests = new ArrayList<>(count);
                LongStream.range(from, from + count).forEach(id -> requests.add(TaskRequest.of("noop", id)));
                queue.enqueueAll(requests);
            }

            @Override
            public void close() {
                if (owned) {
                    context.close();
                }
            }
        };
    }

    @Override
    public Worker worker(DataSource ds, Profile profile, int threads) {
        return worker(ds, profile, threads, Map.of());
    }

    @Override
    public String historyBytesSql() {
        return "select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint from pg_class c"
                + " where c.relkind = 'r' and c.relname like 'konduit\\_task\\_history%'";
    }

    @Override
    public Worker worker(DataSource ds, Profile profile, int threads, Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(more);
        if (threads > 0) {
            settings.put("konduit.queue.worker.concurrency", threads);
        }
        if (profile == Profile.RECOVERY) {
            settings.put("konduit.queue.lock-timeout", "3s");
            settings.put("konduit.queue.worker.heartbeat-interval", "500ms");
            settings.put("konduit.queue.reaper-interval", "500ms");
            settings.put("konduit.queue.worker.poll-interval", "100ms");
            settings.put("konduit.queue.leader.lock-ttl", "3s");
            settings.put("konduit.queue.leader.renew-interval", "1s");
            settings.put("konduit.queue.leader.acquire-retry-interval", "500ms");
        }
        if (profile == Profile.OTHER_QUEUE) {
            settings.put("konduit.queue.worker.queues", "other");
        }
        return new Worker() {
            private ConfigurableApplicationContext context;

            @Override
            public void start() {
                context = Konduit.start(ds, settings);
            }

            @Override
            public Optional<Producer> localProducer() {
                return Optional.of(producer(context, false));
            }

            @Override
            public void close() {
                context.close();
            }
        };
    }

    private static ConfigurableApplicationContext start(DataSource ds, Map<String, Object> settings) {
        Map<String, Object> all = new HashMap<>(settings);
        all.put("spring.main.banner-mode", "off");
        all.put("spring.jmx.enabled", false);
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(all)
                .initializers(context -> ((GenericApplicationContext) context)
                        .registerBean(
                                "dataSource",
                                DataSource.class,
                                () -> ds,
                                definition -> definition.setDestroyMethodName("")))
                .run();
    }

    @Override
    public String describe(Profile profile) {
        return switch (profile) {
            case THROUGHPUT -> "defaults, worker.concurrency 16";
            case RECOVERY ->
                "lock-timeout 3s, worker.heartbeat-interval 500ms, reaper-interval 500ms, worker.poll-interval 100ms,"
                        + " leader.lock-ttl 3s, leader.renew-interval 1s, leader.acquire-retry-interval 500ms";
            default -> "defaults (poll-interval 1s, listen, lock-timeout 5m, 10 slots)";
        };
    }
}
