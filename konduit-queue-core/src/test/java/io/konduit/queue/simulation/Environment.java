package io.konduit.queue.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.SqlFile;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.jdbc.UnpooledControl;
import io.konduit.queue.store.TaskRepository;
import io.konduit.queue.worker.SimulatedNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.LoggerFactory;

/** What all simulations of a JVM share: the database, and the ways to it from each host. */
final class Environment implements AutoCloseable {
    /** L11 and the others: statements that take what nobody else has locked. */
    static final Set<String> NEVER_WAITING = Set.of(
            "claim",
            "extend",
            "reclaim",
            "fail",
            "give-back",
            "snooze",
            "complete-unlocked",
            "record-interrupted",
            "find-expired",
            "witness-end-leases");

    private static final List<String> STATEMENTS = List.of(
            "already-applied",
            "cancel",
            "check-lease",
            "checkpoint",
            "claim",
            "complete",
            "complete-unlocked",
            "server-time",
            "extend",
            "extend-own",
            "fail",
            "fail-by-hand",
            "find-expired",
            "find-held-by-worker",
            "find-lost",
            "find-unhandled",
            "give-back",
            "guard",
            "guard-unless-locked",
            "is-cancelled",
            "last-pass",
            "next-expiry",
            "pause-queue",
            "reclaim",
            "record-interrupted",
            "record-late-outcome",
            "record-pass",
            "record-refused",
            "release",
            "reschedule",
            "resolve-incidents",
            "resume-queue",
            "retry",
            "snooze",
            "worker-beat",
            "worker-remove",
            "leader-look",
            "leader-expire",
            "witness-take",
            "witness-verify",
            "witness-renounce",
            "witness-look",
            "witness-end-leases");

    private static final int HOSTS = 5;

    /** Thousands of faults are reported there, as they should be. */
    private static final List<String> LOGS = List.of("io.konduit", "org.springframework");

    private final Map<Logger, Optional<Level>> levels = new HashMap<>();

    private final SimulatedDatabase database = new SimulatedDatabase();
    private final List<SimulatedConnections> connections = new ArrayList<>();
    private final List<QueueDatabase> databases = new ArrayList<>();
    private final Map<String, String> names = new HashMap<>();
    private final JobHandlerRegistry handlers = QueueHarness.registry(new SimulatedHandlers());
    private final PayloadConverter converter = QueueHarness.converter();
    private final TaskRepository tasks;

    Environment() {
        for (String name : LOGS) {
            Logger log = (Logger) LoggerFactory.getLogger(name);
            levels.put(log, Optional.ofNullable(log.getLevel()));
            log.setLevel(Level.OFF);
        }
        for (String statement : STATEMENTS) {
            names.put(SqlFile.opening(statement), statement);
        }
        for (int host = 0; host < HOSTS; host++) {
            SimulatedConnections application = new SimulatedConnections(database);
            SimulatedConnections control = new SimulatedConnections(database);
            connections.add(application);
            connections.add(control);
            databases.add(new QueueDatabase(application, UnpooledControl.over(control, SimulatedNode.HEARTBEAT), null));
        }
        tasks = new TaskRepository(personsDatabase());
    }

    void enter(Simulation world) {
        database.reset();
        connections.forEach(each -> each.belongTo(world));
    }

    void leave() {
        connections.forEach(each -> each.belongTo(null));
    }

    SimulatedDatabase database() {
        return database;
    }

    QueueDatabase database(int host) {
        return databases.get(host);
    }

    /** The connections of the person. */
    QueueDatabase personsDatabase() {
        return databases.get(HOSTS - 1);
    }

    /** Made once: its repositories are dear. */
    TaskRepository tasks() {
        return tasks;
    }

    JobHandlerRegistry handlers() {
        return handlers;
    }

    PayloadConverter converter() {
        return converter;
    }

    /** The file of a statement, or the first words of one that has none. */
    String statementName(String sql) {
        String opening = sql.lines().findFirst().orElse("");
        String known = names.get(opening);
        return known != null ? known : opening.substring(0, Math.min(30, opening.length()));
    }

    @Override
    public void close() {
        levels.forEach((log, level) -> log.setLevel(level.orElse(null)));
        database.close();
    }
}
