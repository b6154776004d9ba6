package io.konduit.queue.engine;

import io.konduit.queue.failover.Activity;
import io.konduit.queue.leader.Chore;
import io.konduit.queue.leader.PeriodicChore;
import io.konduit.queue.recovery.AbandonedLeaseCleaner;
import io.konduit.queue.recovery.OrphanReclaimer;
import io.konduit.queue.recovery.ReaperChore;
import io.konduit.queue.recovery.StaleWorkerMarker;
import io.konduit.queue.recovery.WitnessChore;
import io.konduit.queue.recovery.WitnessWatch;
import io.konduit.queue.retention.HistoryPruner;
import io.konduit.queue.retention.RowPruner;
import io.konduit.queue.settings.ChoreSettings;
import io.konduit.queue.settings.RetentionSettings;
import io.konduit.queue.settings.WitnessSettings;
import io.konduit.queue.store.RetentionRepository;
import io.konduit.queue.store.RetentionRepository.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The queue's own background chores. */
public record QueueChores(List<Chore> chores) {
    private static final Logger log = LoggerFactory.getLogger(QueueChores.class);

    public QueueChores {
        chores = List.copyOf(chores);
    }

    static Builder builder(ChoreSettings settings) {
        return new Builder(settings);
    }

    /** Leaves out what the settings switch off. */
    static final class Builder {
        private final ChoreSettings settings;
        private final List<Chore> chores = new ArrayList<>();

        private Builder(ChoreSettings settings) {
            this.settings = settings;
        }

        Builder reaper(OrphanReclaimer reclaimer) {
            if (settings.reaperInterval().isZero()) {
                log.warn(ChoreSettings.WITHOUT_REAPER);
            } else {
                chores.add(new ReaperChore(reclaimer, settings.reaperInterval()));
            }
            return this;
        }

        Builder witness(WitnessWatch watch, WitnessSettings witness, Activity activity, LongSupplier nanoTime) {
            if (witness.enabled() && !settings.reaperInterval().isZero()) {
                chores.add(new WitnessChore(watch, witness.grace(), activity, nanoTime));
            }
            return this;
        }

        Builder abandoned(AbandonedLeaseCleaner cleaner) {
            if (!settings.abandonedThreshold().isZero()) {
                chores.add(new PeriodicChore("abandoned", settings.abandonedInterval(), cleaner::cleanOnce));
            }
            return this;
        }

        Builder staleWorkers(StaleWorkerMarker marker) {
            chores.add(new PeriodicChore(
                    "stale-workers", settings.staleThreshold().dividedBy(2), marker::markOnce, false));
            return this;
        }

        Builder retention(HistoryPruner history, RetentionRepository rows, RetentionSettings retention) {
            if (!retention.completed().isZero() || retention.completedCount() > 0) {
                chores.add(new PeriodicChore("retention-completed", retention.interval(), history::pruneOnce));
            }
            for (Kind kind : Kind.values()) {
                // the ledger of schedules is pruned where they fire: a system without them pays nothing
                if (kind != Kind.FIRINGS && !RowPruner.keep(kind, retention).isZero()) {
                    RowPruner pruner = RowPruner.of(rows, kind, retention);
                    String name =
                            "retention-" + kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
                    chores.add(new PeriodicChore(name, retention.interval(), pruner::pruneOnce));
                }
            }
            return this;
        }

        QueueChores build() {
            return new QueueChores(chores);
        }
    }
}
