package io.konduit.queue.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import com.zaxxer.hikari.util.PropertyElf;
import com.zaxxer.hikari.util.UtilityElf;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How the application connects, for connections outside its pool. */
public final class ApplicationConnections {
    private static final Logger log = LoggerFactory.getLogger(ApplicationConnections.class);

    private ApplicationConnections() {}

    /** The HikariCP pool that this data source is or wraps; null when it is another one. */
    static @Nullable HikariConfig hikari(DataSource dataSource) {
        try {
            if (dataSource instanceof HikariDataSource hikari) {
                return hikari;
            }
            return dataSource.isWrapperFor(HikariDataSource.class) ? dataSource.unwrap(HikariDataSource.class) : null;
        } catch (SQLException e) {
            log.debug("The data source does not say what it wraps", e);
            return null;
        }
    }

    /** The schema that the application's pool sets on its connections; null when it sets none. */
    public static @Nullable String schema(DataSource application) {
        HikariConfig source = hikari(application);
        return source == null ? null : source.getSchema();
    }

    /** Whether {@link #open} creates a connection instead of borrowing one from the application. */
    static boolean canOpen(DataSource application) {
        HikariConfig source = hikari(application);
        return source != null && source.getJdbcUrl() != null;
    }

    /** A connection to the application's database, which the caller closes; borrowed when the address is unknown. */
    static Connection open(DataSource application, Properties driverProperties) throws SQLException {
        HikariConfig source = hikari(application);
        if (source == null || source.getJdbcUrl() == null) {
            return application.getConnection();
        }
        Properties properties = new Properties();
        properties.putAll(source.getDataSourceProperties());
        properties.putAll(driverProperties);
        Credentials credentials = credentials(source);
        if (credentials.getUsername() != null) {
            properties.setProperty("user", credentials.getUsername());
        }
        if (credentials.getPassword() != null) {
            properties.setProperty("password", credentials.getPassword());
        }
        return DriverManager.getConnection(source.getJdbcUrl(), properties);
    }

    /** The same, but never from the application's pool, even if that pool was given a data source of the driver. */
    static Connection openOwn(DataSource application, Properties driverProperties) throws SQLException {
        HikariConfig source = hikari(application);
        if (source == null || source.getJdbcUrl() != null) {
            return open(application, driverProperties);
        }
        Credentials credentials = credentials(source);
        DataSource driver = driver(source, driverProperties);
        return credentials.getUsername() == null
                ? driver.getConnection()
                : driver.getConnection(credentials.getUsername(), credentials.getPassword());
    }

    private static DataSource driver(HikariConfig source, Properties driverProperties) {
        if (source.getDataSource() != null) {
            return source.getDataSource();
        }
        Properties properties = new Properties();
        properties.putAll(source.getDataSourceProperties());
        properties.putAll(driverProperties);
        DataSource driver = UtilityElf.createInstance(source.getDataSourceClassName(), DataSource.class);
        PropertyElf.setTargetFromProperties(driver, properties);
        return driver;
    }

    private static Credentials credentials(HikariConfig source) {
        var provider = source.getCredentialsProvider();
        return provider == null ? source.getCredentials() : provider.getCredentials();
    }
}
