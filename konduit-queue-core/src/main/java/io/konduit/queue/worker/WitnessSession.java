package io.konduit.queue.worker;

import io.konduit.queue.store.NotificationChannel.Subscription;
import io.konduit.queue.store.WitnessRepository;
import java.time.Duration;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/** K1, K3: keeps this worker's witness in the listening session. */
final class WitnessSession implements SessionDuty {
    private static final Logger log = LoggerFactory.getLogger(WitnessSession.class);
    private static final Duration VERIFY_WHEN_IDLE = Duration.ofSeconds(30);
    private static final Duration LONGEST_SLICE = Duration.ofSeconds(1);
    private static final Duration SLICE = Duration.ofMillis(500);

    private final UUID worker;
    private final Witness witness;
    private final WitnessRepository witnesses;
    private final BooleanSupplier runsTasks;
    private final LongSupplier nanoTime;
    private final Duration patience;
    /** Whether the row may name a witness of an earlier start of this worker, which could not remove it. */
    private boolean mayBeNamed = true;

    /**
     * @param runsTasks whether the worker has leases; without any, its witness does not matter
     */
    WitnessSession(
            UUID worker,
            Witness witness,
            WitnessRepository witnesses,
            BooleanSupplier runsTasks,
            LongSupplier nanoTime) {
        this.worker = worker;
        this.witness = witness;
        this.witnesses = witnesses;
        this.runsTasks = runsTasks;
        this.nanoTime = nanoTime;
        this.patience = witness.verifyInterval().multipliedBy(2);
    }

    @Override
    public void begun(Subscription session) {
        // before it is sent: the database may record it even if the reply is lost
        long sent = nanoTime.getAsLong();
        witness.announced(sent);
        boolean taken = session.takeWitness(worker, witness.grace(), sent, patience);
        // without a row there is no witness to miss
        witness.confirmed(sent);
        if (!taken) {
            log.debug("Worker {} has no row yet: a later verification takes its witness", worker);
        }
    }

    @Override
    public Duration verifyAfter() {
        return runsTasks.getAsBoolean() ? witness.verifyInterval() : VERIFY_WHEN_IDLE;
    }

    /** A task may begin in the middle of it. It must be over long before the handler would have to be interrupted. */
    @Override
    public Duration slice() {
        return runsTasks.getAsBoolean() || witness.verifyInterval().compareTo(LONGEST_SLICE) < 0
                ? SLICE
                : LONGEST_SLICE;
    }

    @Override
    public void verify(Subscription session) {
        long sent = nanoTime.getAsLong();
        if (session.verifyWitness(worker, patience)) {
            witness.confirmed(sent);
        } else {
            begun(session);
        }
    }

    /** Tells the database that this worker is alive without a witness, so that none of its leases is ended early. */
    @Override
    public boolean broken() {
        if (!witness.isAnnounced() && !mayBeNamed) {
            return false;
        }
        try {
            witnesses.renounce(worker, nanoTime.getAsLong());
            witness.renounced();
            mayBeNamed = false;
            log.debug("Worker {} continues without a witness", worker);
            // the process may have stood still for longer than the grace, while its session ended
            return true;
        } catch (DataAccessException e) {
            log.debug("The database does not answer: handlers are interrupted before their leases are ended", e);
            return false;
        }
    }

    @Override
    public Duration patience() {
        return patience;
    }
}
