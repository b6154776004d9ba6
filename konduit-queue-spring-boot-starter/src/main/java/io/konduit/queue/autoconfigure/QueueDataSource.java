package io.konduit.queue.autoconfigure;

import io.konduit.queue.InvalidSettingsException;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;

/** The data source the queue uses: the one marked with {@link KonduitQueueDataSource}, otherwise the only or primary one. */
public record QueueDataSource(DataSource dataSource) {

    static QueueDataSource choose(ObjectProvider<DataSource> marked, ObjectProvider<DataSource> any) {
        DataSource chosen = marked.getIfUnique();
        if (chosen == null) {
            chosen = any.getIfUnique();
        }
        if (chosen == null) {
            throw new InvalidSettingsException(
                    "The application has " + any.stream().count()
                            + " data sources and none is marked for the queue. Put @KonduitQueueDataSource on the one that holds it, or make one @Primary.");
        }
        return new QueueDataSource(chosen);
    }
}
