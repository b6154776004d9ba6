package io.konduit.queue;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;

/**
 * A driver in front of PostgreSQL's that writes down every statement. Its address goes wherever an address goes, so
 * that also connections which a pool of the queue makes by itself are seen.
 */
public final class CountingDriver implements Driver {
    private static final String PREFIX = "jdbc:counted:";
    private static final Map<String, Journal> JOURNALS = new ConcurrentHashMap<>();
    private static final AtomicInteger NEXT = new AtomicInteger();

    static {
        try {
            DriverManager.registerDriver(new CountingDriver());
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** What was executed through one address. */
    public static final class Journal {
        private final String jdbcUrl;
        private final List<String> statements = new CopyOnWriteArrayList<>();
        private final AtomicInteger validations = new AtomicInteger();
        private final Map<String, String> plans = new ConcurrentHashMap<>();
        private volatile boolean explaining;

        private Journal(String jdbcUrl) {
            this.jdbcUrl = jdbcUrl;
        }

        public String jdbcUrl() {
            return jdbcUrl;
        }

        public List<String> statements() {
            return List.copyOf(statements);
        }

        /** How often a pool asked whether a connection lives: an empty query. */
        public int validations() {
            return validations.get();
        }

        /**
         * From now on each statement is first explained on its own connection, with its own parameters, and what the
         * explanation did is rolled back.
         */
        public void explain(boolean wanted) {
            explaining = wanted;
        }

        /** Statement to plan, the last one of each. */
        public Map<String, String> plans() {
            return Map.copyOf(plans);
        }

        public void clear() {
            plans.clear();
            statements.clear();
            validations.set(0);
        }
    }

    /** A journal of everything that goes through its address. */
    public static Journal journalFor(String postgresUrl) {
        String key = Integer.toString(NEXT.incrementAndGet());
        Journal journal = new Journal(PREFIX + key + ":" + postgresUrl.substring("jdbc:".length()));
        JOURNALS.put(key, journal);
        return journal;
    }

    @Override
    public Connection connect(String url, Properties info) throws SQLException {
        if (!acceptsURL(url)) {
            return null;
        }
        int keyEnd = url.indexOf(':', PREFIX.length());
        Journal journal = JOURNALS.get(url.substring(PREFIX.length(), keyEnd));
        Connection real = DriverManager.getConnection("jdbc:" + url.substring(keyEnd + 1), info);
        return proxy(Connection.class, (self, method, arguments) -> {
            Object result = call(real, method, arguments);
            if (method.getName().equals("isValid")) {
                journal.validations.incrementAndGet();
            }
            if (result instanceof PreparedStatement prepared && arguments != null) {
                return counted(PreparedStatement.class, prepared, new Source(real, journal, (String) arguments[0]));
            }
            return result instanceof Statement statement
                    ? counted(Statement.class, statement, new Source(real, journal, ""))
                    : result;
        });
    }

    private record Source(Connection connection, Journal journal, String sql) {}

    private record Setting(Method method, Object[] arguments) {}

    private static <T extends Statement> T counted(Class<T> type, T real, Source source) {
        List<Setting> settings = new ArrayList<>();
        return proxy(type, (self, method, arguments) -> {
            boolean whole = arguments == null || arguments.length == 0;
            if (method.getName().startsWith("set") && arguments != null && arguments.length >= 2) {
                settings.add(new Setting(method, arguments));
            }
            if (method.getName().startsWith("execute")) {
                source.journal.statements.add(whole ? source.sql : String.valueOf(arguments[0]));
                if (source.journal.explaining && whole && !source.sql.isEmpty()) {
                    source.journal.plans.put(source.sql, explain(source, settings));
                }
            }
            return call(real, method, arguments);
        });
    }

    private static String explain(Source source, List<Setting> settings) throws Throwable {
        Connection connection = source.connection;
        boolean alone = connection.getAutoCommit();
        if (alone) {
            connection.setAutoCommit(false);
        }
        Savepoint before = connection.setSavepoint();
        StringBuilder plan = new StringBuilder();
        try (PreparedStatement statement = connection.prepareStatement(
                "explain (analyze, buffers, costs off, timing off, summary on) " + source.sql)) {
            for (Setting setting : settings) {
                call(statement, setting.method, setting.arguments);
            }
            try (ResultSet lines = statement.executeQuery()) {
                while (lines.next()) {
                    plan.append(lines.getString(1)).append('\n');
                }
            }
        } finally {
            connection.rollback(before);
            if (alone) {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        }
        return plan.toString();
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Override
    public boolean acceptsURL(String url) {
        return url.startsWith(PREFIX);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
        return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
        return 1;
    }

    @Override
    public int getMinorVersion() {
        return 0;
    }

    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getGlobal();
    }
}
