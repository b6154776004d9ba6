package io.konduit.queue.worker;

import io.konduit.queue.store.NotificationChannel.Subscription;
import java.time.Duration;

/** What a listening session must do besides listening. Only the listener's thread calls it. */
interface SessionDuty {
    /** A session has begun to listen. */
    void begun(Subscription session);

    /** How long the session may go without a round trip. */
    Duration verifyAfter();

    /** How long to wait for notifications at a time. Only after that is it noticed that the session must be verified. */
    default Duration slice() {
        return Duration.ofSeconds(1);
    }

    /** How long to wait for a new session. */
    Duration patience();

    /** A round trip, which detects a session that died silently. */
    void verify(Subscription session);

    /**
     * The session has ended, and no other could be opened at once.
     *
     * @return whether leases may have ended with it, so that each must be checked now
     */
    boolean broken();

    /** Only proves now and then that the session is alive. */
    static SessionDuty none() {
        return none(Duration.ofSeconds(30));
    }

    /** Only proves at this interval that the session is alive. */
    static SessionDuty none(Duration verifyAfter) {
        return new SessionDuty() {
            @Override
            public void begun(Subscription session) {
                // nothing to acquire
            }

            @Override
            public Duration verifyAfter() {
                return verifyAfter;
            }

            @Override
            public Duration patience() {
                return Duration.ofSeconds(10);
            }

            @Override
            public void verify(Subscription session) {
                session.verify(Duration.ofSeconds(5));
            }

            @Override
            public boolean broken() {
                // nothing depends on it
                return false;
            }
        };
    }
}
