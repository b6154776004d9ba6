package io.konduit.queue.schema;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Savepoint;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * One connection shared by all callers, in a transaction that none of them can end: a commit is left to the owner, and
 * a rollback returns to the state at creation.
 */
final class UncommittedConnection extends AbstractDataSource {
    private final Connection connection;
    private final Savepoint start;

    UncommittedConnection(Connection connection) throws SQLException {
        this.connection = connection;
        this.start = connection.setSavepoint();
    }

    @Override
    public Connection getConnection() {
        return (Connection) Proxy.newProxyInstance(
                UncommittedConnection.class.getClassLoader(), new Class<?>[] {Connection.class}, new Shared()::invoke);
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("There is one connection only.");
    }

    /** Undoes everything since creation, and releases the locks. */
    void undo() throws SQLException {
        connection.rollback(start);
    }

    /** The connection as one of its users sees it. */
    private final class Shared {
        private boolean autoCommit = true;

        @Nullable
        Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
            switch (method.getName()) {
                case "commit", "close" -> {
                    return null;
                }
                case "setAutoCommit" -> {
                    autoCommit = arguments != null && Boolean.TRUE.equals(arguments[0]);
                    return null;
                }
                case "getAutoCommit" -> {
                    return autoCommit;
                }
                case "rollback" -> {
                    undo();
                    return null;
                }
                default -> {
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }
            }
        }
    }
}
