package bench;

import java.sql.Connection;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import javax.sql.DataSource;

/**
 * One queue under test. A job is a number; running it means passing the number to {@code #HANDLER}.
 * To add a system: implement this, put it on the class path, pass its class name to {@link Bench}.
 */
public interface Peer {

    /** What the current workload wants done per job. Static: some peers instantiate handlers themselves. */
    class HANDLER {
        public static volatile LongConsumer current = id -> {};
    }

    /** Settings a workload asks for; DEFAULT is what the system ships with. */
    enum Profile {
        DEFAULT,
        THROUGHPUT,
        LATENCY,
        RECOVERY,
        /** For systems with wake-ups: a producer that sends none. */
        NO_WAKE_UPS,
        /** For systems with wake-ups: a worker that hears them and has nothing to run. */
        OTHER_QUEUE
    }

    interface Producer extends AutoCloseable {
        /** Durable on return: one transaction per job. */
        void enqueue(long id) throws Exception;

        /** The fastest bulk API the system offers. */
        void enqueueAll(long from, int count) throws Exception;

        @Override
        default void close() throws Exception {}
    }

    interface Worker extends AutoCloseable {
        void start() throws Exception;

        /** A producer inside the worker's process (may wake the worker); same as remote when there is no difference. */
        Optional<Producer> localProducer();
    }

    String name();

    /** Drops and creates the tables. */
    void createSchema(Connection c) throws Exception;

    /** Removes all jobs. */
    void clear(Connection c) throws Exception;

    /** Inserts {@code count} due jobs by plain SQL, looking exactly like jobs enqueued through the API. */
    void fill(Connection c, int count) throws Exception;

    /** SQL counting the jobs whose completion is not yet durable. */
    String unfinishedSql();

    /** A producer in a process of its own: it cannot wake a worker through memory. */
    Producer remoteProducer(DataSource ds, Profile profile) throws Exception;

    /** {@code threads == 0}: the system's own default. Not started yet. */
    Worker worker(DataSource ds, Profile profile, int threads) throws Exception;

    /** The same with more settings of the system. */
    default Worker worker(DataSource ds, Profile profile, int threads, Map<String, Object> settings) throws Exception {
        throw new UnsupportedOperationException(name());
    }

    /** SQL that gives the size on disk of what is kept of completed jobs. */
    default String historyBytesSql() {
        throw new UnsupportedOperationException(name());
    }

    /** The settings in words, for the report. */
    String describe(Profile profile);

    /** How many jobs drain_noop uses; slow systems take fewer. */
    default int drainJobs() {
        return 50_000;
    }

    /** Whether workers hear of new jobs from other processes. */
    default boolean hasWakeUps() {
        return false;
    }

    /** Whether crash recovery is short enough for several trials. */
    default boolean recoversFast() {
        return false;
    }

    /** Jobs that are due tomorrow, with a better priority than those of {@link #fill}. */
    default void fillFuture(Connection c, int count) throws Exception {
        throw new UnsupportedOperationException(name());
    }

    /** Running jobs of workers that are gone, whose leases have ended. */
    default void fillOrphans(Connection c, int count) throws Exception {
        throw new UnsupportedOperationException(name());
    }

    /** Takes them all back, and tells how long that took. */
    default double reclaimSeconds(DataSource ds, int orphans) throws Exception {
        throw new UnsupportedOperationException(name());
    }
}
