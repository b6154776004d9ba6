package io.konduit.queue;

import java.io.PrintWriter;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * A data source that counts the statements made through it, and lets a test step in before or after one of them: at
 * the one point between two statements that a race needs, or as the network that loses a reply.
 */
public final class StatementProbe implements DataSource {
    private final DataSource target;
    private final List<String> statements = new CopyOnWriteArrayList<>();
    private final List<Hook> hooks = new CopyOnWriteArrayList<>();

    private record Hook(String text, boolean before, Callable<?> action) {}

    public StatementProbe(DataSource target) {
        this.target = target;
    }

    /** How many statements that contain the text were made. */
    public long count(String text) {
        return statements.stream().filter(sql -> sql.contains(text)).count();
    }

    /** All statements so far, in order. */
    public List<String> statements() {
        return List.copyOf(statements);
    }

    public void reset() {
        statements.clear();
        hooks.clear();
    }

    /** Runs the action once (of several that fit, the first), right before the next statement that contains the text. */
    public void onceBefore(String text, Callable<?> action) {
        hooks.add(new Hook(text, true, action));
    }

    /** Runs the action once, when the next statement that contains the text has been executed. */
    public void onceAfter(String text, Callable<?> action) {
        hooks.add(new Hook(text, false, action));
    }

    /** The next statement that contains the text is executed, but its reply is lost with the connection. */
    public void loseReplyOf(String text) {
        onceAfter(text, () -> {
            throw new SQLException("The reply was lost.", "08006");
        });
    }

    @Override
    public Connection getConnection() throws SQLException {
        return watched(target.getConnection());
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        return watched(target.getConnection(username, password));
    }

    private Connection watched(Connection connection) {
        return proxy(Connection.class, (proxy, method, arguments) -> {
            Object result = call(connection, method, arguments);
            if (method.getName().equals("prepareStatement")) {
                return watched(method.getReturnType(), result, (String) arguments[0]);
            }
            return result;
        });
    }

    private Object watched(Class<?> type, Object statement, String sql) {
        return proxy(type, (proxy, method, arguments) -> {
            if (!method.getName().startsWith("execute")) {
                return call(statement, method, arguments);
            }
            fire(sql, true);
            statements.add(sql);
            Object result = call(statement, method, arguments);
            fire(sql, false);
            return result;
        });
    }

    private void fire(String sql, boolean before) throws Exception {
        for (Hook hook : hooks) {
            if (hook.before() == before && sql.contains(hook.text()) && hooks.remove(hook)) {
                hook.action().call();
                return;
            }
        }
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @SuppressWarnings("unchecked")
    private static <T> T proxy(Class<?> type, InvocationHandler handler) {
        return (T) Proxy.newProxyInstance(StatementProbe.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return target.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        target.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        target.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return target.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getLogger(StatementProbe.class.getName());
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("The probe wraps nothing for others.");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
