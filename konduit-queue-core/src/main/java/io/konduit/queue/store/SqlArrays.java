package io.konduit.queue.store;

import java.util.Collection;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.support.SqlArrayValue;

/**
 * Columns of a batch as PostgreSQL arrays, so that a statement for many rows is one statement. The driver sends an array
 * of a plain type in binary and an {@code Object[]} as text, which both sides take longer for.
 */
final class SqlArrays {
    private SqlArrays() {}

    static <T> SqlArrayValue bigints(Collection<T> rows, Function<T, @Nullable Long> column) {
        return array("bigint", rows, column, Long[]::new);
    }

    static <T> SqlArrayValue integers(Collection<T> rows, Function<T, @Nullable Integer> column) {
        return array("integer", rows, column, Integer[]::new);
    }

    static <T> SqlArrayValue booleans(Collection<T> rows, Function<T, @Nullable Boolean> column) {
        return array("boolean", rows, column, Boolean[]::new);
    }

    static <T> SqlArrayValue texts(Collection<T> rows, Function<T, @Nullable String> column) {
        return array("text", rows, column, String[]::new);
    }

    static SqlArrayValue texts(Collection<String> values) {
        return array("text", values, Function.identity(), String[]::new);
    }

    private static <T, C> SqlArrayValue array(
            String type, Collection<T> rows, Function<T, @Nullable C> column, IntFunction<@Nullable C[]> empty) {
        @Nullable C[] values = empty.apply(rows.size());
        int place = 0;
        for (T row : rows) {
            values[place++] = column.apply(row);
        }
        return new SqlArrayValue(type, (Object[]) values);
    }
}
