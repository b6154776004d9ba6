package io.konduit.queue.autoconfigure;

import io.konduit.queue.InvalidSettingsException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** The data source the queue uses: the one marked with {@link KonduitQueueDataSource}, otherwise the only or primary one. */
record QueueDataSource(DataSource dataSource) {

    static QueueDataSource choose(ObjectProvider<DataSource> marked, ObjectProvider<DataSource> any) {
        DataSource chosen = marked.getIfUnique();
        long marks = chosen == null ? marked.stream().count() : 1;
        if (marks > 1) {
            throw new InvalidSettingsException(
                    "The application has %d data sources with @KonduitQueueDataSource. Put it on one of them only."
                            .formatted(marks));
        }
        if (chosen == null) {
            chosen = any.getIfUnique();
        }
        if (chosen == null) {
            throw new InvalidSettingsException(
                    "The application has %d data sources and none is marked for the queue. Put @KonduitQueueDataSource on the one that the queue should use, or make one @Primary."
                            .formatted(any.stream().count()));
        }
        return new QueueDataSource(unwrapped(chosen));
    }

    /** Transaction managers bind their connection to the target of such a proxy, so the queue must use it too. */
    private static DataSource unwrapped(DataSource chosen) {
        DataSource target = chosen;
        while (target instanceof TransactionAwareDataSourceProxy proxy) {
            @Nullable DataSource behind = proxy.getTargetDataSource();
            if (behind == null) {
                break;
            }
            target = behind;
        }
        return target;
    }
}
