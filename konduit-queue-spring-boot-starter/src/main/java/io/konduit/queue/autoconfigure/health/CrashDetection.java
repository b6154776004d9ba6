package io.konduit.queue.autoconfigure.health;

import io.konduit.queue.settings.ChoreSettings;
import io.konduit.queue.settings.PropertyNames;
import io.konduit.queue.settings.QueueSettings;
import io.konduit.queue.settings.WitnessSettings;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** K5: how this worker's crash would be detected, and how soon its tasks would be back. */
final class CrashDetection {
    private final QueueSettings settings;

    CrashDetection(QueueSettings settings) {
        this.settings = settings;
    }

    Map<String, Object> describe(boolean hasWitness) {
        Map<String, Object> detail = new LinkedHashMap<>();
        detail.put("by", hasWitness ? "witness" : "lease");
        if (settings.inspection().reaperInterval().isZero()) {
            detail.put("note", ChoreSettings.WITHOUT_REAPER + ".");
            return detail;
        }
        detail.put("withinSeconds", bound(hasWitness).toSeconds());
        if (!hasWitness) {
            detail.put("note", reason());
        }
        return detail;
    }

    /**
     * With a witness: a check that misses it, possibly by a new leader, the grace, and the next check, which reclaims the
     * tasks itself unless the reaper has a grace of its own.
     */
    private Duration bound(boolean hasWitness) {
        Duration reaperGrace = settings.inspection().reaperGrace();
        Duration reaper = reaperGrace.plus(settings.inspection().reaperInterval());
        if (hasWitness) {
            Duration known = settings.witness().grace().multipliedBy(2);
            return reaperGrace.isZero() ? known : known.plus(reaper);
        }
        return settings.worker().lockTimeout().plus(reaper);
    }

    private String reason() {
        WitnessSettings witness = settings.witness();
        if (!witness.enabled()) {
            return "'" + PropertyNames.WITNESS_ENABLED + "' or '" + PropertyNames.WORKER_LISTEN + "' is false,"
                    + " or '" + PropertyNames.WITNESS_GRACE + "' is not shorter than '" + PropertyNames.LOCK_TIMEOUT
                    + "'.";
        }
        return "There is no listening session: behind a transaction pooler there never is one, otherwise it is being restored.";
    }
}
