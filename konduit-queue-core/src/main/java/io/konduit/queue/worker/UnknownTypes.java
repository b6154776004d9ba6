package io.konduit.queue.worker;

import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.LeaseRepository.Unhandled;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * S10: logs each type once for which tasks are due and this worker has no handler. It checks at most once a minute,
 * more often in the first minute, and only when nothing else is due.
 */
final class UnknownTypes {
    private static final Logger log = LoggerFactory.getLogger(UnknownTypes.class);
    private static final long FIRST_PAUSE = Duration.ofSeconds(5).toNanos();
    private static final long LONGEST_PAUSE = Duration.ofMinutes(1).toNanos();
    private static final int FIRST_TASKS = 100;
    private static final int MAX_REMEMBERED = 1_000;

    private final LeaseRepository leases;
    private final KnownHandlers handlers;
    private final LongSupplier nanoTime;
    private final Set<String> told = ConcurrentHashMap.newKeySet();
    private long lookAtNanos;
    private long pause = FIRST_PAUSE;

    UnknownTypes(LeaseRepository leases, KnownHandlers handlers, LongSupplier nanoTime) {
        this.leases = leases;
        this.handlers = handlers;
        this.nanoTime = nanoTime;
        this.lookAtNanos = nanoTime.getAsLong();
    }

    /** A claim has shown that nothing is due in these queues that this worker can run. */
    void lookIfDue(List<String> queues) {
        if (!isDue()) {
            return;
        }
        Collection<String> types = handlers.types();
        try {
            for (Unhandled task : leases.findUnhandled(queues, types, FIRST_TASKS)) {
                if (told.size() < MAX_REMEMBERED && told.add(task.type())) {
                    log.warn(
                            "This worker has no handler for tasks of type '{}' and leaves them to workers that have; it knows {}",
                            task.type(),
                            types);
                }
            }
        } catch (DataAccessException e) {
            log.debug("Cannot check for types without a handler now", e);
        }
    }

    private synchronized boolean isDue() {
        long now = nanoTime.getAsLong();
        if (now - lookAtNanos < 0) {
            return false;
        }
        lookAtNanos = now + pause;
        pause = Math.min(LONGEST_PAUSE, 2 * pause);
        return true;
    }
}
