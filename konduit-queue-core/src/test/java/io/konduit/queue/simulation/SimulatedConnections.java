package io.konduit.queue.simulation;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** The way of one host to the database. Each statement and each commit is a step that can go wrong. */
final class SimulatedConnections extends AbstractDataSource {
    private static final Set<String> EXECUTIONS = Set.of("execute", "executeQuery", "executeUpdate", "executeBatch");
    /** Real waits for locks are cut short: nobody can let a lock go meanwhile. */
    private static final Set<String> WAITS = Set.of("250ms", "20ms");

    private final SimulatedDatabase database;
    private @Nullable Simulation world;

    SimulatedConnections(SimulatedDatabase database) {
        this.database = database;
    }

    void belongTo(@Nullable Simulation simulation) {
        world = simulation;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Fiber fiber = Fiber.current();
        if (fiber == null || world == null) {
            return (Connection) proxy(Connection.class, new Session(database.lend(), null, false));
        }
        SimulatedProcess process = fiber.process();
        requireAlive(process);
        if (process.isCut()) {
            world.awaitsConnection(fiber);
            throw new SQLNonTransientConnectionException("The simulation has cut the network", "08001");
        }
        Session session = new Session(database.lend(), process, fiber.isListener());
        world.opened(session);
        return (Connection) proxy(Connection.class, session);
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        return getConnection();
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(SimulatedConnections.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private static void requireAlive(@Nullable SimulatedProcess process) {
        if (process != null && !process.isAlive()) {
            throw new Fiber.ProcessDied();
        }
    }

    static SQLException broken() {
        return new SQLNonTransientConnectionException("The simulation has broken the connection", "08006");
    }

    /** Something that the server is asked for. */
    interface Call {
        @Nullable
        Object send() throws Throwable;
    }

    /** One connection of one process. */
    final class Session implements InvocationHandler {
        private final Connection real;
        private final @Nullable SimulatedProcess process;
        private final boolean listening;
        private boolean broken;
        private boolean detached;
        private boolean closed;
        private @Nullable End end;
        private int networkTimeoutMillis;
        private boolean holdsWitness;

        Session(Connection real, @Nullable SimulatedProcess process, boolean listening) {
            this.real = real;
            this.process = process;
            this.listening = listening;
        }

        /** Whether it waits for notifications, and holds the witness of its process. */
        boolean isListening() {
            return listening;
        }

        /** How long its client waits for an answer. */
        int networkTimeoutMillis() {
            return networkTimeoutMillis;
        }

        /** The server has carried out that it takes the witness. */
        void tookWitness() {
            holdsWitness = !closed;
        }

        boolean holdsWitness() {
            return holdsWitness;
        }

        /** The server ends it, whatever its client knows. */
        void endOnServer(End how) {
            if (listening) {
                if (!broken && end == null) {
                    end = how;
                }
                release();
            } else {
                breakNow();
            }
        }

        /** Whether the server has ended it and its client learns that without asking. */
        boolean isHeardToEnd() {
            return end == End.TOLD && !isCut();
        }

        /** Whether the server has ended it and answers nothing, not even that. */
        boolean isSilent() {
            return end == End.SILENT || isCut();
        }

        boolean isEndedOnServer() {
            return end != null;
        }

        private boolean isCut() {
            return process != null && process.isCut();
        }

        @Nullable
        SimulatedProcess process() {
            return process;
        }

        boolean isBroken() {
            return broken;
        }

        boolean isClosed() {
            return closed;
        }

        boolean inTransaction() throws SQLException {
            return !real.getAutoCommit();
        }

        /** The client has lost it. What it had open ends on the server. */
        void breakNow() {
            broken = true;
            release();
        }

        /** The client has lost it, and the server does not know yet. */
        void breakLater() {
            broken = true;
            detached = true;
        }

        /** The server notices that the client is gone. */
        void release() {
            if (!closed) {
                closed = true;
                if (holdsWitness && process != null) {
                    holdsWitness = false;
                    process.witnessReleased(process.world().now());
                }
                database.giveBack(real, listening);
            }
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            String name = method.getName();
            switch (name) {
                case "close" -> {
                    if (!detached) {
                        release();
                    }
                    return null;
                }
                case "isClosed" -> {
                    return closed || broken;
                }
                case "hashCode" -> {
                    return System.identityHashCode(this);
                }
                case "equals" -> {
                    return proxy == arguments[0];
                }
                case "toString" -> {
                    return "Session of " + process;
                }
                default -> {}
            }
            requireAlive(process);
            if (broken) {
                throw broken();
            }
            if (listening) {
                switch (name) {
                    case "setNetworkTimeout" -> {
                        networkTimeoutMillis = (Integer) arguments[1];
                        return null;
                    }
                    case "createStatement" -> {
                        return proxy(Statement.class, new Listen(this));
                    }
                    case "unwrap" -> {
                        return proxy(PGConnection.class, new Notifications(this));
                    }
                    default -> {}
                }
            }
            if (name.equals("commit") && process != null) {
                return world.step(this, "commit", null, () -> call(real, method, arguments));
            }
            if (name.equals("prepareStatement")) {
                // ShedLock asks for the time in a way that no function can stand for
                String sql = ((String) arguments[0]).replace("CURRENT_TIMESTAMP", "statement_timestamp()");
                arguments[0] = sql;
                PreparedStatement statement = (PreparedStatement) call(real, method, arguments);
                return proxy(PreparedStatement.class, new Prepared(this, statement, sql));
            }
            return call(real, method, arguments);
        }
    }

    /** How the server ends a listening session. */
    enum End {
        /** Its client hears of it at once. */
        TOLD,
        /** Its client hears of it when it sends something. */
        ASKED,
        /** Nothing ever comes back. */
        SILENT
    }

    /** A session begins to listen. Nobody notifies in this world: it is a step and no more. */
    private final class Listen implements InvocationHandler {
        private final Session session;

        Listen(Session session) {
            this.session = session;
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            return method.getName().equals("execute")
                    ? world.step(session, (String) arguments[0], null, () -> false)
                    : null;
        }
    }

    /** Waits for notifications, which do not come. */
    private final class Notifications implements InvocationHandler {
        private final Session session;

        Notifications(Session session) {
            this.session = session;
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            requireAlive(session.process);
            world.await(session, (Integer) arguments[0]);
            return null;
        }
    }

    /** One statement of a session. */
    private final class Prepared implements InvocationHandler {
        private final Session session;
        private final PreparedStatement real;
        private final String sql;
        private final List<Object> parameters = new ArrayList<>();

        Prepared(Session session, PreparedStatement real, String sql) {
            this.session = session;
            this.real = real;
            this.sql = sql;
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            String name = method.getName();
            if (name.equals("close")) {
                if (!session.detached && !session.closed) {
                    real.close();
                }
                return null;
            }
            if (name.equals("setQueryTimeout")) {
                return null;
            }
            if (name.equals("isWrapperFor")) {
                // nobody asks for other plans
                return false;
            }
            if (name.startsWith("set") && arguments != null && arguments.length > 1) {
                if (WAITS.contains(String.valueOf(arguments[1]))) {
                    arguments[1] = "1ms";
                }
                parameters.add(arguments[1]);
            }
            if (EXECUTIONS.contains(name) && session.process != null) {
                requireAlive(session.process);
                if (session.broken) {
                    throw broken();
                }
                return world.step(session, sql, parameters, () -> call(real, method, arguments));
            }
            return call(real, method, arguments);
        }
    }

    private static @Nullable Object call(Object target, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
