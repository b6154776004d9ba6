package io.konduit.queue.store;

import java.util.Optional;
import org.springframework.data.repository.Repository;

/** Reads tasks, live or finished. */
interface TaskRows extends Repository<TaskRow, Long> {

    Optional<TaskRow> findById(long id);
}
