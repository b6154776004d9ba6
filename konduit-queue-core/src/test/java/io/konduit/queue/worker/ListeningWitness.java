package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.store.ControlMessage;
import io.konduit.queue.store.NotificationChannel;
import io.konduit.queue.store.WitnessRepository;
import io.konduit.queue.store.WorkerRepository;
import io.konduit.queue.thread.QueueThreads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A worker that listens, with its session as witness, over a network that a test can silence. */
final class ListeningWitness {
    private static final Pattern ADDRESS = Pattern.compile("//([^:/]+):(\\d+)/");

    final UUID worker = UUID.randomUUID();
    final Witness witness;
    final SilentNetwork network;
    final QueueDatabase database;
    final NotificationListener listener;
    /** How often notifications may have been missed. */
    final AtomicInteger missed = new AtomicInteger();

    private final QueueHarness harness;
    private final HikariDataSource application;
    private final ControlPool pool;
    private Thread thread;

    /** @param patience for how long a statement of the control pool may wait */
    ListeningWitness(QueueHarness harness, Duration grace, Duration patience) {
        this.harness = harness;
        witness = new Witness(grace);
        Matcher address = ADDRESS.matcher(harness.testDatabase().jdbcUrl());
        assertThat(address.find()).isTrue();
        try {
            network = new SilentNetwork(address.group(1), Integer.parseInt(address.group(2)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        application = harness.testDatabase().newPool(1);
        application.setJdbcUrl(address.replaceFirst("//localhost:" + network.port() + "/"));
        pool = new ControlPool(application, 1, patience);
        database = new QueueDatabase(application, pool, null);
        listener = new NotificationListener(
                new NotificationChannel(database),
                new NotificationListener.Callbacks() {
                    @Override
                    public void tasksDue(Set<String> queues) {}

                    @Override
                    public void receive(ControlMessage message) {}

                    @Override
                    public void missed() {
                        missed.incrementAndGet();
                    }
                },
                new WitnessSession(worker, witness, new WitnessRepository(database), () -> true, System::nanoTime),
                System::nanoTime);
    }

    /** Returns when the session holds the witness of the worker, which must be registered. */
    void start() {
        thread = QueueThreads.start("listening", listener::run);
        await().until(this::isSeen);
    }

    void close() throws Exception {
        listener.stop();
        network.close();
        thread.join(20_000);
        pool.close();
        application.close();
    }

    void beat(QueueDatabase with) {
        new WorkerRepository(with)
                .beat(new WorkerRepository.Registration(worker, "w", "localhost", 1, "1", null, List.of(), 1));
    }

    boolean isSeen() {
        return harness.holdsWitness(worker);
    }

    /** The server's process of the session, 0 if there is none. */
    long pid() {
        return harness.jdbc()
                .sql("select pid from pg_locks where locktype = 'advisory' and granted"
                        + " and database = (select oid from pg_database where datname = current_database()) limit 1")
                .query(Long.class)
                .optional()
                .orElse(0L);
    }

    void terminate(long pid) {
        harness.jdbc()
                .sql("select pg_terminate_backend(:pid::integer)")
                .param("pid", pid)
                .query()
                .singleRow();
    }
}
