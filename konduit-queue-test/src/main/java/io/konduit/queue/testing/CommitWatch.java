package io.konduit.queue.testing;

import io.konduit.queue.jdbc.QueueDatabase;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/** Reports that Spring is about to commit. Registered before the fence: a zombie loses its lease before the fence looks. */
record CommitWatch(QueueDatabase database) implements TransactionExecutionListener {

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        Life life = CrashGate.life();
        if (life != null
                && transaction.isNewTransaction()
                && database.callerTransaction().isFrom(transaction)) {
            life.announceCommit();
        }
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
        over();
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
        over();
    }

    private static void over() {
        Life life = CrashGate.life();
        if (life != null) {
            life.commitOver();
        }
    }
}
