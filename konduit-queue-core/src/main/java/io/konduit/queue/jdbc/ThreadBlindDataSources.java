package io.konduit.queue.jdbc;

import java.util.Set;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/**
 * Data sources that are known to give the same connections to every thread. Any other one may route by a tenant or user
 * of the calling thread.
 */
final class ThreadBlindDataSources {
    /** By name, because most are not on the class path. A subclass may behave differently, so it is not included. */
    private static final Set<String> KNOWN = Set.of(
            "com.zaxxer.hikari.HikariDataSource",
            "org.apache.commons.dbcp2.BasicDataSource",
            "org.postgresql.ds.PGSimpleDataSource");

    private static final Set<Class<?>> TRANSPARENT =
            Set.of(LazyConnectionDataSourceProxy.class, TransactionAwareDataSourceProxy.class);

    private ThreadBlindDataSources() {}

    static boolean contains(DataSource dataSource) {
        DataSource target = dataSource;
        while (TRANSPARENT.contains(target.getClass())
                && target instanceof DelegatingDataSource proxy
                && proxy.getTargetDataSource() != null) {
            target = proxy.getTargetDataSource();
        }
        return KNOWN.contains(target.getClass().getName());
    }
}
