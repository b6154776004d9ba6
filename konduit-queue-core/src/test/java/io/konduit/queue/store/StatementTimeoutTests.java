package io.konduit.queue.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.DatabaseErrors;
import io.konduit.queue.jdbc.QueueDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.dao.DataAccessException;

/** A server whose client has gone away goes on with the statement: it must have ended it before. */
@Timeout(60)
class StatementTimeoutTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    @Test
    void statementThatTakesTooLongIsCancelledOnTheServer() throws Exception {
        try (ControlPool pool = new ControlPool(harness.testDatabase().dataSource(), 1, Duration.ofSeconds(1));
                Connection other = harness.testDatabase().connect();
                Statement statement = other.createStatement()) {
            LeaseRepository worker = new LeaseRepository(
                    new QueueDatabase(harness.testDatabase().dataSource(), pool, null), UUID.randomUUID());
            worker.claimDue(QueueFixture.request(1, List.of()));
            other.setAutoCommit(false);
            statement.execute("lock table konduit_task in access exclusive mode");

            assertThatExceptionOfType(DataAccessException.class)
                    .isThrownBy(() -> worker.claimDue(QueueFixture.request(1, List.of())))
                    .matches(DatabaseErrors::isRefusal);
            assertThat(harness.count("select count(*) from pg_stat_activity"
                            + " where datname = current_database() and wait_event_type = 'Lock'"))
                    .as("statements that wait without anybody who listens")
                    .isZero();
        }
    }
}
