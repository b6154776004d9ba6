package io.konduit.queue.store;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * Wraps the application's own lock provider and records the holder of the leader lock in the queue's database, so that
 * operators can see it. The record is valid for as long as the lock. If it cannot be written, the lock is held all the
 * same.
 */
public final class RecordedLocks implements LockProvider {
    public static final String NAME = "leader";
    private static final Logger log = LoggerFactory.getLogger(RecordedLocks.class);

    private final LockProvider locks;
    private final ChoreRepository chores;
    private final UUID worker;

    public RecordedLocks(LockProvider locks, ChoreRepository chores, UUID worker) {
        this.locks = locks;
        this.chores = chores;
        this.worker = worker;
    }

    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        return locks.lock(configuration).map(lock -> recorded(lock, configuration.getLockAtMostFor()));
    }

    private SimpleLock recorded(SimpleLock lock, Duration ttl) {
        note(() -> chores.recordLeader(NAME, worker, ttl));
        return new Recorded(lock);
    }

    private static void note(Runnable statement) {
        try {
            statement.run();
        } catch (DataAccessException e) {
            log.debug("The leader could not be recorded", e);
        }
    }

    private final class Recorded implements SimpleLock {
        private final SimpleLock lock;

        Recorded(SimpleLock lock) {
            this.lock = lock;
        }

        @Override
        public void unlock() {
            lock.unlock();
            note(() -> chores.forgetLeader(NAME, worker));
        }

        @Override
        public Optional<SimpleLock> extend(Duration lockAtMostFor, Duration lockAtLeastFor) {
            return lock.extend(lockAtMostFor, lockAtLeastFor).map(extended -> recorded(extended, lockAtMostFor));
        }
    }
}
