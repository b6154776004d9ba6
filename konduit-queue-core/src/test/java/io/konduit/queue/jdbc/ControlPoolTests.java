package io.konduit.queue.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.LogCapture;
import io.konduit.queue.test.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Connections of the queue's own are set up as the application's, where that harms nobody else. */
@Tag("S7")
@Timeout(30)
class ControlPoolTests {
    private static TestDatabase database;

    @BeforeAll
    static void createADatabase() {
        database = TestDatabase.create();
        database.execute("alter database " + database.name() + " set default_transaction_isolation = 'serializable'");
    }

    @AfterAll
    static void dropIt() {
        database.close();
    }

    private static String settings(ServerSessions sessions) {
        try (HikariDataSource application = database.newPool(1)) {
            application.setSchema("jobs");
            application.setConnectionInitSql("set lock_timeout = '7s'");
            try (ControlPool pool = new ControlPool(application, 1, Duration.ofSeconds(5), sessions)) {
                return JdbcClient.create(pool.dataSource())
                        .sql("select concat_ws(' | ', current_setting('search_path'), current_setting('lock_timeout'),"
                                + " current_setting('transaction_isolation'))")
                        .query(String.class)
                        .single();
            }
        }
    }

    @Test
    void aSessionOfItsOwnIsSetUpAsTheApplications() {
        assertThat(settings(ServerSessions.OWN)).isEqualTo("jobs | 7s | read committed");
    }

    @Test
    void nothingIsSetInASharedSession() {
        assertThat(settings(ServerSessions.SHARED)).isEqualTo("\"$user\", public | 0 | serializable");
    }

    @Test
    void closingSaysNothing() {
        try (LogCapture log = LogCapture.open()) {
            settings(ServerSessions.OWN);
            assertThat(log.everything()).doesNotContain("executor to shutdown");
        }
    }
}
