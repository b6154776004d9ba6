package io.konduit.queue.worker;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * S14: whether this worker has been told from outside to claim nothing more. It hears of it with its beat, so that it costs no
 * statement; a draining worker goes on beating, extending its leases and leading.
 */
public final class Drain {
    private static final Logger log = LoggerFactory.getLogger(Drain.class);

    private volatile @Nullable String by;

    /** Who has told it; null when nobody has, or when it may claim again. */
    public void heard(@Nullable String actor) {
        String before = by;
        by = actor;
        if (before == null && actor != null) {
            log.info("This worker drains, as {} has told it: it claims nothing more and ends what runs", actor);
        } else if (before != null && actor == null) {
            log.info("This worker claims again");
        }
    }

    public boolean isOn() {
        return by != null;
    }

    /** Who has told it; null when it does not drain. */
    public @Nullable String by() {
        return by;
    }
}
