package io.konduit.queue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A data source that notes the statements made through it, and fails those that a test chooses. */
public final class FaultyDataSource extends DelegatingDataSource {
    private final List<String> statements = new CopyOnWriteArrayList<>();
    private volatile Predicate<String> broken = sql -> false;
    private volatile boolean down;

    public FaultyDataSource(DataSource target) {
        super(target);
    }

    /** Statements since the start or the last {@link #forget}. */
    public List<String> statements() {
        return statements;
    }

    public long count(String part) {
        return statements.stream().filter(sql -> sql.contains(part)).count();
    }

    public void forget() {
        statements.clear();
    }

    /** Nothing gets through, on old connections or new ones. */
    public void goDown() {
        down = true;
    }

    /** Statements like these do not get through. */
    public void breakStatements(Predicate<String> like) {
        broken = like;
    }

    public void heal() {
        down = false;
        broken = sql -> false;
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (down) {
            throw cut();
        }
        return watched(super.getConnection());
    }

    /** Otherwise the control pool would find the pool behind this and go around it. */
    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }

    private Connection watched(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                FaultyDataSource.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    String name = method.getName();
                    boolean harmless = name.equals("close")
                            || name.equals("isClosed")
                            || method.getDeclaringClass() == Object.class;
                    if (down && !harmless) {
                        throw cut();
                    }
                    if (name.startsWith("prepare") && arguments[0] instanceof String sql) {
                        statements.add(sql);
                        if (broken.test(sql)) {
                            throw cut();
                        }
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static SQLException cut() {
        return new SQLNonTransientConnectionException("The test has cut the connection", "08006");
    }
}
