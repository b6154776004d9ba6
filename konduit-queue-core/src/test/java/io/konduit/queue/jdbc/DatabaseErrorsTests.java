package io.konduit.queue.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.UncategorizedSQLException;

/** After these a statement may be sent again, and after those not: it could be stored twice. */
class DatabaseErrorsTests {
    @ParameterizedTest
    @ValueSource(
            strings = {"22P05", "23514", "25006", "40001", "40P01", "42501", "42P01", "54000", "55P03", "57014", "P0001"
            })
    void nothingWasStoredWhenTheServerRefusedTheStatement(String state) {
        assertThat(DatabaseErrors.isRefusal(error(state))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"08006", "08003", "08P01", "40003", "53200", "57P01", "57P02", "58030", "99999", "XX000", ""})
    void nobodyKnowsWhatWasStoredWhenTheConnectionBrokeOrTheReplyWasNotRead(String state) {
        assertThat(DatabaseErrors.isRefusal(error(state))).isFalse();
    }

    @Test
    void nothingWasStoredWithoutAConnection() {
        assertThat(DatabaseErrors.isRefusal(
                        new CannotGetJdbcConnectionException("none", new SQLException("timeout", "08001"))))
                .isTrue();
    }

    @Test
    void nobodyKnowsWhatWasStoredAfterAnErrorThatIsNotTheDatabases() {
        assertThat(DatabaseErrors.isRefusal(new OutOfMemoryError())).isFalse();
        assertThat(DatabaseErrors.isRefusal(new IllegalStateException())).isFalse();
    }

    private static RuntimeException error(String state) {
        return new UncategorizedSQLException("enqueue", null, new SQLException("error", state));
    }
}
