package io.konduit.queue.sample;

import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskContext;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionOperations;

/**
 * Story 3: a long run that can continue where it stopped.
 *
 * <p>Rows and checkpoint are committed in one transaction, so that after a crash the import continues after the last
 * committed row: none is lost, and none is imported twice.
 */
@Component
class ImportJobs {
    private static final Logger log = LoggerFactory.getLogger(ImportJobs.class);
    private static final int BATCH = 20;

    private final JdbcClient jdbc;
    private final TransactionOperations transaction;
    private final Duration timePerRow;

    /** The payload. */
    record ProductImport(int rows) {}

    /** The content of a checkpoint. */
    record Progress(int rows) {}

    ImportJobs(
            JdbcClient jdbc,
            TransactionOperations transaction,
            @Value("${sample.import-time-per-row}") Duration timePerRow) {
        this.jdbc = jdbc;
        this.transaction = transaction;
        this.timePerRow = timePerRow;
    }

    @JobHandler("product-import")
    void run(ProductImport products, TaskContext task) throws InterruptedException {
        int done = task.lastCheckpoint(Progress.class).map(Progress::rows).orElse(0);
        if (done > 0) {
            log.info("The import continues after row {}{}", done, task.recovering() ? ": its worker was lost" : "");
        }
        while (done < products.rows()) {
            int first = done + 1;
            int last = Math.min(done + BATCH, products.rows());
            // The slow part. Cancelling the task, losing its lease and stopping the application interrupt this thread.
            Thread.sleep(timePerRow.multipliedBy(last - done).toMillis());
            transaction.executeWithoutResult(status -> {
                insertRows(task, first, last);
                task.checkpoint(new Progress(last));
            });
            done = last;
            log.info("Imported {} of {} rows", done, products.rows());
        }
    }

    /** The primary key (task, row) would refuse a row that is imported twice. */
    private void insertRows(TaskContext task, int first, int last) {
        jdbc.sql("insert into product (task, row) select :task, generate_series(:first, :last)")
                .param("task", task.id().value())
                .param("first", first)
                .param("last", last)
                .update();
    }
}
