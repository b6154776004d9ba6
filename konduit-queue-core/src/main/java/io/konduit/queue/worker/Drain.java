package io.konduit.queue.worker;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * S14: whether an operator has asked this worker to stop claiming. The request arrives with the heartbeat, so it costs
 * no extra statement. A draining worker keeps sending heartbeats, extending its leases and leading.
 */
public final class Drain {
    private static final Logger log = LoggerFactory.getLogger(Drain.class);

    private volatile @Nullable String by;

    /** The operator who asked for the drain; null when no drain was asked for or it was lifted. */
    public void heard(@Nullable String actor) {
        String before = by;
        by = actor;
        if (before == null && actor != null) {
            log.info("This worker drains at the request of {}: it claims nothing more and finishes its runs", actor);
        } else if (before != null && actor == null) {
            log.info("This worker claims tasks again");
        }
    }

    public boolean isOn() {
        return by != null;
    }

    /** The operator who asked for the drain; null when this worker does not drain. */
    public @Nullable String by() {
        return by;
    }
}
