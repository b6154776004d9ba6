package io.konduit.queue.simulation;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
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
            return (Connection) proxy(Connection.class, new Session(database.lend(), null));
        }
        SimulatedProcess process = fiber.process();
        requireAlive(process);
        if (process.isCut()) {
            throw new SQLNonTransientConnectionException("The simulation has cut the network", "08001");
        }
        Session session = new Session(database.lend(), process);
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
        private boolean broken;
        private boolean detached;
        private boolean closed;

        Session(Connection real, @Nullable SimulatedProcess process) {
            this.real = real;
            this.process = process;
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
                database.giveBack(real);
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
