package io.konduit.queue.enqueue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Collects the queues of one transaction and passes them on once, after its commit; at once without a transaction. */
final class AfterCommit {
    private static final Logger log = LoggerFactory.getLogger(AfterCommit.class);

    private final Supplier<Stream<TaskWakeUp>> source;
    private volatile @Nullable List<TaskWakeUp> wakeUps;

    /**
     * @param source asked when something was first enqueued: workers are among them, and their handlers may need the queue
     */
    AfterCommit(Supplier<Stream<TaskWakeUp>> source) {
        this.source = source;
    }

    void wake(Set<String> queues) {
        if (queues.isEmpty()) {
            return;
        }
        if (!TransactionSynchronizationManager.isSynchronizationActive()
                || !TransactionSynchronizationManager.isActualTransactionActive()) {
            passOn(queues);
            return;
        }
        for (TransactionSynchronization present : TransactionSynchronizationManager.getSynchronizations()) {
            if (present instanceof Collected collected && collected.owner() == this) {
                collected.queues.addAll(queues);
                return;
            }
        }
        TransactionSynchronizationManager.registerSynchronization(new Collected(queues));
    }

    private void passOn(Set<String> queues) {
        List<TaskWakeUp> known = wakeUps;
        if (known == null) {
            known = source.get().toList();
            wakeUps = known;
        }
        for (TaskWakeUp wakeUp : known) {
            try {
                wakeUp.tasksDue(queues);
            } catch (RuntimeException e) {
                // the tasks are committed; the next poll finds them
                log.warn("A wake-up failed; the tasks wait for the next poll", e);
            }
        }
    }

    private final class Collected implements TransactionSynchronization {
        private final Set<String> queues;

        Collected(Set<String> queues) {
            this.queues = new HashSet<>(queues);
        }

        AfterCommit owner() {
            return AfterCommit.this;
        }

        @Override
        public void afterCommit() {
            passOn(queues);
        }
    }
}
