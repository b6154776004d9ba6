package io.konduit.queue.jdbc;

import java.util.Collection;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.support.SqlArrayValue;

/**
 * Columns of a batch as PostgreSQL arrays, so that many rows need only one statement. The driver sends an array of a
 * plain type in binary. It sends an {@code Object[]} as text, which is slower on both sides.
 */
public final class SqlArrays {
    private SqlArrays() {}

    public static <T> SqlArrayValue bigints(Collection<T> rows, Function<T, @Nullable Long> column) {
        return array("bigint", rows, column, Long[]::new);
    }

    public static <T> SqlArrayValue integers(Collection<T> rows, Function<T, @Nullable Integer> column) {
        return array("integer", rows, column, Integer[]::new);
    }

    public static <T> SqlArrayValue booleans(Collection<T> rows, Function<T, @Nullable Boolean> column) {
        return array("boolean", rows, column, Boolean[]::new);
    }

    public static <T> SqlArrayValue texts(Collection<T> rows, Function<T, @Nullable String> column) {
        return array("text", rows, column, String[]::new);
    }

    public static SqlArrayValue texts(Collection<String> values) {
        return array("text", values, Function.identity(), String[]::new);
    }

    private static <T, C> SqlArrayValue array(
            String type, Collection<T> rows, Function<T, @Nullable C> column, IntFunction<@Nullable C[]> empty) {
        @Nullable C[] values = empty.apply(rows.size());
        int index = 0;
        for (T row : rows) {
            values[index++] = column.apply(row);
        }
        return new SqlArrayValue(type, (Object[]) values);
    }
}
