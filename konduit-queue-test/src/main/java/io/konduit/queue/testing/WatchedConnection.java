package io.konduit.queue.testing;

import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection of a watched run: its commits are points, and it ends with the run. */
final class WatchedConnection implements InvocationHandler {
    private static final Logger log = LoggerFactory.getLogger(WatchedConnection.class);

    private final Connection target;
    private final @Nullable HikariDataSource pool;
    private final Life life;
    private final Thread owner = Thread.currentThread();

    private WatchedConnection(Connection target, @Nullable HikariDataSource pool, Life life) {
        this.target = target;
        this.pool = pool;
        this.life = life;
    }

    /** @param source where it comes from */
    static Connection watch(Connection target, @Nullable Object source, Life life) {
        HikariDataSource pool = source instanceof HikariDataSource hikari ? hikari : null;
        WatchedConnection watched = new WatchedConnection(target, pool, life);
        life.opened(watched);
        return (Connection) proxy(Connection.class, watched);
    }

    /** The server process of its session. */
    OptionalInt serverProcess() {
        try {
            return OptionalInt.of(target.unwrap(PGConnection.class).getBackendPID());
        } catch (SQLException e) {
            return OptionalInt.empty();
        }
    }

    /** Ends the session, as the server does when a client is gone, and lets the pool discard the connection. */
    void kill() {
        try {
            // at once, and not when the server hears of it; a statement of another thread is not waited for
            if (owner == Thread.currentThread() && !target.getAutoCommit()) {
                target.rollback();
            }
            target.abort(Runnable::run);
            if (pool != null) {
                pool.evictConnection(target);
                return;
            }
            // another pool notices it by the error
            try (Statement statement = target.createStatement()) {
                statement.execute("select 1");
            }
        } catch (SQLException e) {
            log.debug("A connection of a dead run has ended: {}", e.getMessage());
        }
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        switch (method.getName()) {
            case "equals":
                return arguments != null && proxy == arguments[0];
            case "hashCode":
                return System.identityHashCode(proxy);
            case "toString":
                return "watched " + target;
            case "close":
                life.closed(this);
                return life.isDead() ? closeQuietly() : call(target, method, arguments);
            case "unwrap", "isWrapperFor":
                return call(target, method, arguments);
            case "isClosed", "getAutoCommit":
                return life.isDead() ? Boolean.TRUE : call(target, method, arguments);
            case "rollback", "setAutoCommit", "setReadOnly", "setTransactionIsolation", "clearWarnings":
                if (life.isDead()) {
                    // the session is gone, and with it the transaction: nothing is left to undo
                    return null;
                }
                break;
            default:
                life.requireAlive();
        }
        return switch (method.getName()) {
            case "commit" -> commit(method, arguments);
            case "setAutoCommit" ->
                arguments != null && Boolean.TRUE.equals(arguments[0]) && !target.getAutoCommit()
                        ? commit(method, arguments)
                        : call(target, method, arguments);
            case "createStatement" -> statement(Statement.class, method, arguments, proxy);
            case "prepareStatement" -> statement(PreparedStatement.class, method, arguments, proxy);
            case "prepareCall" -> statement(CallableStatement.class, method, arguments, proxy);
            default -> call(target, method, arguments);
        };
    }

    private @Nullable Object commit(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        if (hasNothingToCommit()) {
            return call(target, method, arguments);
        }
        life.beforeCommit(null);
        Object result = call(target, method, arguments);
        life.committed(null);
        return result;
    }

    private boolean hasNothingToCommit() throws SQLException {
        return target.isWrapperFor(BaseConnection.class)
                && target.unwrap(BaseConnection.class).getTransactionState() == TransactionState.IDLE;
    }

    private @Nullable Object closeQuietly() {
        try {
            target.close();
        } catch (SQLException e) {
            log.debug("A connection of a dead run is closed: {}", e.getMessage());
        }
        return null;
    }

    private Object statement(
            Class<? extends Statement> type, Method method, @Nullable Object @Nullable [] arguments, Object connection)
            throws Throwable {
        Object statement = call(target, method, arguments);
        String prepared = arguments != null && arguments.length > 0 && arguments[0] instanceof String sql ? sql : null;
        return proxy(type, (proxy, called, given) -> switch (called.getName()) {
            case "equals" -> given != null && proxy == given[0];
            case "hashCode" -> System.identityHashCode(proxy);
            case "getConnection" -> connection;
            default ->
                called.getName().startsWith("execute")
                        ? execute(statement, called, given, prepared)
                        : call(statement, called, given);
        });
    }

    private @Nullable Object execute(
            @Nullable Object statement,
            Method method,
            @Nullable Object @Nullable [] arguments,
            @Nullable String prepared)
            throws Throwable {
        life.requireAlive();
        if (!target.getAutoCommit()) {
            return call(statement, method, arguments);
        }
        String sql = arguments != null && arguments.length > 0 && arguments[0] instanceof String text ? text : prepared;
        life.beforeCommit(sql);
        Object result = call(statement, method, arguments);
        life.committed(sql);
        return result;
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(WatchedConnection.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private static Object call(@Nullable Object on, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(on, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
