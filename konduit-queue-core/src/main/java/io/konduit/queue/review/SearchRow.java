package io.konduit.queue.review;

import io.konduit.queue.store.TaskRow;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.data.relational.core.mapping.Embedded;

/**
 * A row of {@code search.sql}.
 *
 * @param examined how many rows were read for the page; the last of them was {@code lastId}
 * @param task null when none of them matched
 */
record SearchRow(
        int examined,
        @Nullable Instant lastSortTime,
        @Nullable Long lastId,
        @Embedded.Nullable @Nullable TaskRow task) {}
