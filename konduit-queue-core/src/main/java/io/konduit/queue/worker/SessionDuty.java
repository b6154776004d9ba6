package io.konduit.queue.worker;

import io.konduit.queue.store.NotificationChannel.Subscription;
import java.time.Duration;

/** What a listening session must do besides listening. Only the listener's thread calls it. */
interface SessionDuty {
    /** A session has begun to listen. */
    void begun(Subscription session);

    /** How long the session may go without a round trip. */
    Duration verifyAfter();

    /** How long a new session may be waited for. */
    Duration patience();

    /** A round trip, which finds a session that died silently. */
    void verify(Subscription session);

    /** The session has ended, and no other could be had at once. */
    void broken();

    /** Only shows now and then that it lives. */
    static SessionDuty none() {
        return none(Duration.ofSeconds(30));
    }

    /** Only shows that often that it lives. */
    static SessionDuty none(Duration verifyAfter) {
        return new SessionDuty() {
            @Override
            public void begun(Subscription session) {
                // nothing to take
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
            public void broken() {
                // nobody relies on it
            }
        };
    }
}
