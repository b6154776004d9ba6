package io.konduit.queue.store;

import java.util.UUID;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.jdbc.core.JdbcTemplate;

/** The leader lock in {@code konduit_shedlock}, on the control pool and by the database's clock. */
public final class LeaderLocks {
    private LeaderLocks() {}

    /**
     * @param worker the owner's name in the table: the default, the host's name, would let two JVMs on one host release
     *     each other's lock
     */
    public static LockProvider create(QueueDatabase database, UUID worker) {
        JdbcTemplateLockProvider locks = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(database.control()))
                .withTableName(database.table("konduit_shedlock"))
                .withLockedByValue(worker.toString())
                .usingDbTime()
                .build());
        return configuration -> {
            // otherwise it remembers that it has seen the row, and never gets the lock again once somebody deletes it
            locks.clearCache();
            return locks.lock(configuration);
        };
    }
}
