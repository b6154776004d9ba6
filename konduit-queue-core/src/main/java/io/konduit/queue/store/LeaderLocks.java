package io.konduit.queue.store;

import io.konduit.queue.jdbc.DatabaseErrors;
import io.konduit.queue.jdbc.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.SimpleTransactionStatus;

/** The leader lock in {@code konduit_shedlock}, on the control pool and by the database's clock. */
public final class LeaderLocks {
    private LeaderLocks() {}

    /**
     * @param worker the owner's name in the table: the default, the host's name, would let two JVMs on one host release
     *     each other's lock
     */
    public static LockProvider create(QueueDatabase database, UUID worker) {
        return create(database, worker, () -> {});
    }

    /**
     * @param busy called when a look at the lock shows that tasks run, or that the leader may be lost
     */
    public static LockProvider create(QueueDatabase database, UUID worker, Runnable busy) {
        JdbcTemplateLockProvider locks = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new Statements(database.control()))
                .withTableName(database.table("konduit_shedlock"))
                .withLockedByValue(worker.toString())
                .withTransactionManager(new EachStatementCommits())
                .usingDbTime()
                .build());
        return configuration -> {
            if (!canBeHad(database, configuration, busy)) {
                return Optional.empty();
            }
            // otherwise it remembers that it has seen the row, and never gets the lock again once somebody deletes it
            locks.clearCache();
            return locks.lock(configuration);
        };
    }

    /** K1: the lock of a leader whose process has died can be taken at once. */
    private static boolean canBeHad(QueueDatabase database, LockConfiguration configuration, Runnable busy) {
        String lock = configuration.getName();
        // a healthy leader renews at least three times per TTL
        Duration fresh =
                configuration.getLockAtMostFor().multipliedBy(2).dividedBy(3).minusSeconds(1);
        try {
            String found = database.control("leader-look")
                    .param("lock", lock)
                    .param("freshMs", fresh.toMillis())
                    .query(String.class)
                    .optional()
                    .orElse("FREE");
            if (found.equals("GONE")) {
                database.control("leader-expire").param("lock", lock).update();
                // the grace of the leader's own tasks begins now, not with this instance's first look as the leader
                new WitnessRepository(database).look();
            }
            if (found.equals("IDLE")) {
                return false;
            }
            busy.run();
            return !found.equals("HELD");
        } catch (DataAccessException e) {
            if (DatabaseErrors.isDenied(e)) {
                // pg_locks is not readable here: only the lock decides
                return true;
            }
            throw new StoreUnavailableException(e);
        }
    }

    /** The store of the lock does not answer. Not a {@code DataAccessException}: ShedLock logs those with their stack. */
    static final class StoreUnavailableException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        StoreUnavailableException(Throwable cause) {
            super("The store of the leader lock does not answer.", cause);
        }
    }

    /** Shows ShedLock only what it expects: a row that already exists. */
    private static final class Statements extends JdbcTemplate {
        Statements(DataSource control) {
            super(new DelegatingDataSource(control) {
                @Override
                public Connection getConnection() {
                    try {
                        return super.getConnection();
                    } catch (SQLException e) {
                        throw new StoreUnavailableException(e);
                    }
                }
            });
        }

        @Override
        protected DataAccessException translateException(String task, @Nullable String sql, SQLException failure) {
            DataAccessException translated = super.translateException(task, sql, failure);
            if (translated instanceof DuplicateKeyException || translated instanceof ConcurrencyFailureException) {
                return translated;
            }
            throw new StoreUnavailableException(translated);
        }
    }

    /**
     * Every step of the lock is one statement on a connection that commits by itself, and no caller has a transaction on
     * the control pool: begin and commit would be two more.
     */
    private static final class EachStatementCommits implements PlatformTransactionManager {
        @Override
        public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
            return new SimpleTransactionStatus();
        }

        @Override
        public void commit(TransactionStatus status) {
            // the statement has
        }

        @Override
        public void rollback(TransactionStatus status) {
            // the statement has
        }
    }
}
