package io.konduit.queue.autoconfigure;

import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.transaction.PlatformTransactionManager;

/** The transaction manager of the queue's data source, for transactional handlers. */
final class QueueTransactionManager {
    private static final String DATA_SOURCE = "dataSource";

    private QueueTransactionManager() {}

    /** The only or primary one for that data source; null when there is none, or several and none is primary. */
    static @Nullable PlatformTransactionManager find(
            DataSource dataSource, ObjectProvider<PlatformTransactionManager> managers) {
        PlatformTransactionManager preferred = managers.getIfUnique();
        if (preferred != null && uses(preferred, dataSource)) {
            return preferred;
        }
        List<PlatformTransactionManager> matching =
                managers.stream().filter(manager -> uses(manager, dataSource)).toList();
        return matching.size() == 1 ? matching.get(0) : null;
    }

    /** JDBC's and JPA's managers have the property, and neither is on every class path. */
    private static boolean uses(PlatformTransactionManager manager, DataSource dataSource) {
        BeanWrapper properties = PropertyAccessorFactory.forBeanPropertyAccess(manager);
        return properties.isReadableProperty(DATA_SOURCE) && properties.getPropertyValue(DATA_SOURCE) == dataSource;
    }
}
