package io.konduit.queue.autoconfigure.diagnostics;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A real database that says it is another product or version: servers that cannot all be had for a test. */
final class RenamedDatabase extends DelegatingDataSource {
    private final String product;
    private final int version;

    RenamedDatabase(DataSource target, String product, int version) {
        super(target);
        this.product = product;
        this.version = version;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        DatabaseMetaData renamed = proxy(
                DatabaseMetaData.class,
                connection.getMetaData(),
                "getDatabaseProductName",
                product,
                "getDatabaseMajorVersion",
                version);
        return proxy(Connection.class, connection, "getMetaData", renamed);
    }

    /** Answers these methods with these values, and any other as the target does. */
    private static <T> T proxy(Class<T> type, T target, Object... answers) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    for (int i = 0; i < answers.length; i += 2) {
                        if (method.getName().equals(answers[i])) {
                            return answers[i + 1];
                        }
                    }
                    try {
                        return method.invoke(target, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
