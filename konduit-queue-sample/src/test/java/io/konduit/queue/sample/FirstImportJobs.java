package io.konduit.queue.sample;

import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskContext;
import io.konduit.queue.sample.ImportJobs.ProductImport;
import io.konduit.queue.sample.ImportJobs.Progress;
import org.springframework.jdbc.core.simple.JdbcClient;

/** How the import of the sample might have looked at first. It works, until its worker dies. */
class FirstImportJobs {
    private static final int BATCH = 20;

    private final JdbcClient jdbc;

    FirstImportJobs(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @JobHandler("first-product-import")
    void run(ProductImport products, TaskContext task) {
        int done = task.lastCheckpoint(Progress.class).map(Progress::rows).orElse(0);
        while (done < products.rows()) {
            int last = Math.min(done + BATCH, products.rows());
            jdbc.sql("insert into product (task, row) select :task, generate_series(:first, :last)")
                    .param("task", task.id().value())
                    .param("first", done + 1)
                    .param("last", last)
                    .update();
            task.checkpoint(new Progress(last));
            done = last;
        }
    }
}
