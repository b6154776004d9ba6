package io.konduit.queue.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.DatabaseUnreachableException;
import io.konduit.queue.UnsupportedDatabaseException;
import io.konduit.queue.test.PgBouncer;
import io.konduit.queue.test.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** What stands between the application and the server is found out by looking, however the application connects. */
@Tag("S7")
@Timeout(60)
class PoolerProbeTests {
    private static final String UNPREPARED = "&prepareThreshold=0";

    private static TestDatabase database;
    private static PgBouncer pooler;

    @BeforeAll
    static void startPgBouncer() {
        database = TestDatabase.create();
        assumeTrue(PgBouncer.isInstalled(), "pgbouncer is not installed");
        pooler = PgBouncer.inFrontOf(database, "transaction", 5);
    }

    @AfterAll
    static void stopPgBouncer() {
        if (pooler != null) {
            pooler.close();
        }
        database.close();
    }

    private static ServerSessions probePool(String url) {
        try (HikariDataSource pool = database.newPool(3)) {
            pool.setJdbcUrl(url);
            return PoolerProbe.probe(pool);
        }
    }

    @Test
    void withoutAPoolerOneConnectionIsAsked() {
        AtomicInteger connections = new AtomicInteger();
        DataSource counted = new DelegatingDataSource(new DriverManagerDataSource(database.jdbcUrl())) {
            @Override
            public Connection getConnection() throws SQLException {
                connections.incrementAndGet();
                return super.getConnection();
            }
        };
        assertThat(PoolerProbe.probe(counted)).isEqualTo(ServerSessions.OWN);
        assertThat(connections).hasValue(1);
    }

    @Test
    void aPoolerOfTransactionsIsAcceptedWhereNothingIsPrepared() {
        assertThat(probePool(pooler.jdbcUrl() + UNPREPARED)).isEqualTo(ServerSessions.SHARED);
    }

    @Test
    void aPoolerOfTransactionsIsRefusedWhereTheDriverPrepares() {
        refused(() -> probePool(pooler.jdbcUrl()));
    }

    @Test
    void aProbeLeavesNoStatementBehind() {
        try (PgBouncer single = PgBouncer.inFrontOf(database, "transaction", 1)) {
            refused(() -> probePool(single.jdbcUrl()));
            assertThat(JdbcClient.create(new DriverManagerDataSource(single.jdbcUrl() + UNPREPARED))
                            .sql("select count(*) from pg_prepared_statements")
                            .query(Long.class)
                            .single())
                    .isZero();
        }
    }

    @Test
    void aPoolerIsRefusedAlsoWhereTheDriverPreparesAfterManyUses() {
        refused(() -> probePool(pooler.jdbcUrl() + "&prepareThreshold=1000"));
    }

    @Test
    void aPoolerIsAlsoFoundByADataSourceThatIsNoPool() {
        refused(() -> PoolerProbe.probe(new DriverManagerDataSource(pooler.jdbcUrl())));
        assertThat(PoolerProbe.probe(new DriverManagerDataSource(pooler.jdbcUrl() + UNPREPARED)))
                .isEqualTo(ServerSessions.SHARED);
    }

    /** The queue borrows two connections for good anyway: it must not need more to find out. */
    @Test
    void twoBorrowedConnectionsAreEnough() {
        Semaphore free = new Semaphore(2);
        DataSource scarce = new DelegatingDataSource(new DriverManagerDataSource(pooler.jdbcUrl() + UNPREPARED)) {
            @Override
            public Connection getConnection() throws SQLException {
                if (!free.tryAcquire()) {
                    throw new SQLException("No connection is left");
                }
                Connection connection = super.getConnection();
                return (Connection) Proxy.newProxyInstance(
                        Connection.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("close")) {
                                free.release();
                            }
                            return method.invoke(connection, arguments);
                        });
            }
        };
        assertThat(PoolerProbe.probe(scarce)).isEqualTo(ServerSessions.SHARED);
        assertThat(free.availablePermits()).isEqualTo(2);
    }

    @Test
    void aPoolerIsAlsoFoundWhereTheDriverIsHidden() {
        refused(() -> PoolerProbe.probe(new HiddenDriver(pooler.jdbcUrl())));
        assertThat(PoolerProbe.probe(new HiddenDriver(pooler.jdbcUrl() + UNPREPARED)))
                .isEqualTo(ServerSessions.SHARED);
        assertThat(PoolerProbe.probe(new HiddenDriver(database.jdbcUrl()))).isEqualTo(ServerSessions.OWN);
    }

    @Test
    void aPoolerThatKeepsPreparedStatementsApartIsAccepted() {
        assumeTrue(PgBouncer.knowsPreparedStatements(), "this version of pgbouncer does not know prepared statements");
        try (PgBouncer modern = PgBouncer.inFrontOf(database, "transaction", 3, "max_prepared_statements = 100")) {
            assertThat(probePool(modern.jdbcUrl())).isEqualTo(ServerSessions.SHARED);
            assertThat(PoolerProbe.probe(new HiddenDriver(modern.jdbcUrl()))).isEqualTo(ServerSessions.SHARED);
        }
    }

    @Test
    void aPoolerOfWholeSessionsIsAsGoodAsNone() {
        try (PgBouncer sessions = PgBouncer.inFrontOf(database, "session", 20)) {
            assertThat(probePool(sessions.jdbcUrl())).isEqualTo(ServerSessions.OWN);
        }
    }

    /** Others wait for the sessions that it takes. */
    @Test
    void aPoolerOfWholeSessionsIsAskedForFewOfThem() {
        try (TestDatabase watched = TestDatabase.create();
                PgBouncer sessions = PgBouncer.inFrontOf(watched, "session", 20)) {
            try (HikariDataSource pool = watched.newPool(1)) {
                pool.setJdbcUrl(sessions.jdbcUrl());
                assertThat(PoolerProbe.probe(pool)).isEqualTo(ServerSessions.OWN);
            }
            assertThat(JdbcClient.create(database.dataSource())
                            .sql("select count(*) from pg_stat_activity where datname = ?")
                            .param(watched.name())
                            .query(Integer.class)
                            .single())
                    .as("one of the pool, and three to look")
                    .isBetween(1, 4);
        }
    }

    @Test
    void aPoolerOfSessionsThatHasNoneLeftIsAsGoodAsNone() {
        try (PgBouncer sessions = PgBouncer.inFrontOf(database, "session", 3, "query_wait_timeout = 1")) {
            assertThat(probePool(sessions.jdbcUrl())).isEqualTo(ServerSessions.OWN);
        }
    }

    @Test
    void aPoolerThatTakesItsSessionsInTurnIsFound() throws SQLException {
        try (PgBouncer inTurn = PgBouncer.inFrontOf(database, "transaction", 2, "server_round_robin = 1")) {
            try (Connection one = DriverManager.getConnection(inTurn.jdbcUrl() + UNPREPARED);
                    Connection another = DriverManager.getConnection(inTurn.jdbcUrl() + UNPREPARED)) {
                for (Connection client : List.of(one, another)) {
                    client.setAutoCommit(false);
                    client.createStatement().execute("select 1");
                }
            }
            // the driver then sends nothing by itself that would disturb the turns
            refused(() ->
                    PoolerProbe.probe(new DriverManagerDataSource(inTurn.jdbcUrl() + "&assumeMinServerVersion=9.0")));
        }
    }

    @Test
    void anotherIsolationLevelCannotBeChangedBehindAPooler() {
        try (TestDatabase strict = TestDatabase.create()) {
            strict.execute("alter database " + strict.name() + " set default_transaction_isolation = 'serializable'");
            try (PgBouncer before = PgBouncer.inFrontOf(strict, "transaction", 3)) {
                assertThatExceptionOfType(UnsupportedDatabaseException.class)
                        .isThrownBy(() -> PoolerProbe.probe(new DriverManagerDataSource(before.jdbcUrl() + UNPREPARED)))
                        .withMessageStartingWith("The queue needs transactions that are READ COMMITTED, but behind this"
                                + " pooler they are SERIALIZABLE");
            }
        }
    }

    @Test
    void aDatabaseThatDoesNotAnswerIsNotTakenForAPooler() {
        assertThatExceptionOfType(DatabaseUnreachableException.class)
                .isThrownBy(() -> PoolerProbe.probe(
                        new DriverManagerDataSource("jdbc:postgresql://localhost:1/nowhere?user=nobody")));
    }

    private static void refused(Runnable probe) {
        assertThatExceptionOfType(UnsupportedDatabaseException.class)
                .isThrownBy(probe::run)
                .withMessageContaining("does not know prepared statements")
                .satisfies(e -> assertThat(e.whatToDo()).contains("prepareThreshold=0", "max_prepared_statements"));
    }

    /** A data source whose connections do not say which driver they are of. */
    private static final class HiddenDriver extends DelegatingDataSource {
        HiddenDriver(String url) {
            super(new DriverManagerDataSource(url));
        }

        @Override
        public Connection getConnection() throws SQLException {
            return hidden(Connection.class, super.getConnection());
        }

        private static <T> T hidden(Class<T> type, T target) {
            return type.cast(
                    Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                        if (method.getName().equals("isWrapperFor")) {
                            return false;
                        }
                        try {
                            Object result = method.invoke(target, arguments);
                            return result instanceof PreparedStatement statement
                                    ? hidden(PreparedStatement.class, statement)
                                    : result;
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    }));
        }
    }
}
