package io.konduit.queue.store;

import java.util.Collection;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.support.SqlArrayValue;

/** Columns of a batch as PostgreSQL arrays, so that a statement for many rows is one statement. */
final class SqlArrays {
    private SqlArrays() {}

    static <T> SqlArrayValue bigints(Collection<T> rows, Function<T, @Nullable Long> column) {
        return array("bigint", rows, column);
    }

    static <T> SqlArrayValue integers(Collection<T> rows, Function<T, @Nullable Integer> column) {
        return array("integer", rows, column);
    }

    static <T> SqlArrayValue booleans(Collection<T> rows, Function<T, @Nullable Boolean> column) {
        return array("boolean", rows, column);
    }

    static <T> SqlArrayValue texts(Collection<T> rows, Function<T, @Nullable String> column) {
        return array("text", rows, column);
    }

    static SqlArrayValue texts(Collection<String> values) {
        return array("text", values, Function.identity());
    }

    private static <T> SqlArrayValue array(
            String type, Collection<T> rows, Function<T, ? extends @Nullable Object> column) {
        return new SqlArrayValue(type, rows.stream().map(column).toArray());
    }
}
