package io.konduit.queue.testing;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.test.TestDatabase;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

@Tag("Q3")
class TestPreconditionsTests {

    @Test
    void databaseWithoutTestInItsNameIsRefusedUnlessItIsNamed() {
        try (TestDatabase database = TestDatabase.create()) {
            String shop = "shop_" + ProcessHandle.current().pid();
            database.execute("create database " + shop);
            try (HikariDataSource pool = new HikariDataSource()) {
                pool.setJdbcUrl(database.jdbcUrl().replace(database.name(), shop));
                pool.setMaximumPoolSize(2);
                try (ControlPool control = new ControlPool(pool, 1, Duration.ofSeconds(5))) {
                    QueueDatabase shopDatabase = new QueueDatabase(pool, control, null);
                    assertThatExceptionOfType(IllegalStateException.class)
                            .isThrownBy(() -> TestPreconditions.requireTestDatabase(shopDatabase, Set.of("other")))
                            .withMessage(
                                    "The database '%1$s' does not look like one for tests: expected a name with 'test' in it. Its tables would be emptied. If nobody else uses it, say allowDatabase(\"%1$s\").",
                                    shop);
                    createWorkers(shopDatabase);
                    assertThatCode(() -> TestPreconditions.requireTestDatabase(shopDatabase, Set.of(shop)))
                            .doesNotThrowAnyException();
                }
            } finally {
                database.execute("drop database " + shop + " with (force)");
            }
        }
    }

    private static void createWorkers(QueueDatabase shop) {
        JdbcClient.create(shop.application())
                .sql(
                        "create table konduit_worker (name text, host text, pid int, concurrency int, last_beat_at timestamptz)")
                .update();
    }
}
