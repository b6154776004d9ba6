package io.konduit.queue.store;

import io.konduit.queue.jdbc.QueueDatabase;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Sends messages after the caller's commit, at once without a transaction, and never after a rollback. */
public final class ControlMessages {
    private static final Logger log = LoggerFactory.getLogger(ControlMessages.class);

    private final QueueDatabase database;
    private final Supplier<Stream<ControlReceiver>> receivers;

    /**
     * @param receivers evaluated for each message: workers are among them, and their handlers may need the queue
     */
    public ControlMessages(QueueDatabase database, Supplier<Stream<ControlReceiver>> receivers) {
        this.database = database;
        this.receivers = receivers;
    }

    /** Sends nothing. */
    public static ControlMessages none(QueueDatabase database) {
        return new ControlMessages(database, Stream::empty);
    }

    /** After a rollback to a savepoint a message may be sent needlessly; its receivers find that out. */
    public void sendAfterCommit(ControlMessage message) {
        if (database.callerTransaction().commitsLater()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    if (status == STATUS_COMMITTED) {
                        send(message);
                    }
                }
            });
        } else {
            send(message);
        }
    }

    private void send(ControlMessage message) {
        receivers.get().forEach(receiver -> {
            try {
                receiver.receive(message);
            } catch (RuntimeException e) {
                // the change itself is committed and will be noticed without the message
                log.warn("The message '{}' was not passed on", message.text(), e);
            }
        });
    }
}
