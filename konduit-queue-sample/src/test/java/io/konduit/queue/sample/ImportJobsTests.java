package io.konduit.queue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.test.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionOperations;

class ImportJobsTests {

    @Test
    void goesOnAfterItsLastCheckpoint() throws Exception {
        try (TestDatabase database = TestDatabase.create()) {
            database.execute("create table product (task bigint, row integer, primary key (task, row))");
            JdbcClient jdbc = JdbcClient.create(database.dataSource());
            TaskContext task = mock(TaskContext.class);
            when(task.id()).thenReturn(TaskId.of(1));
            when(task.lastCheckpoint(ImportJobs.Progress.class)).thenReturn(Optional.of(new ImportJobs.Progress(40)));

            new ImportJobs(jdbc, TransactionOperations.withoutTransaction(), Duration.ZERO)
                    .run(new ImportJobs.ProductImport(45), task);

            List<Integer> rows = jdbc.sql("select row from product where task = 1 order by row")
                    .query(Integer.class)
                    .list();
            assertThat(rows).containsExactly(41, 42, 43, 44, 45);
            verify(task).checkpoint(new ImportJobs.Progress(45));
        }
    }
}
