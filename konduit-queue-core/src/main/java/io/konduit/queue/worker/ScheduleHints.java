package io.konduit.queue.worker;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What an instance says and hears about schedules without a statement of its own: with its heartbeats, and from instances
 * that change one.
 */
public final class ScheduleHints {
    private volatile Supplier<List<String>> declared = List::of;
    private volatile @Nullable Listener listener;
    private volatile boolean known;

    /** Called on the threads of the worker, so it must not block. */
    public interface Listener {
        /** The next schedule is due in this time, as of now; null when there is none. */
        void nextIn(@Nullable Duration time);

        /** A schedule was changed. */
        void changed();
    }

    /** The names of the schedules that this instance's handlers declare. */
    public void declaring(Supplier<List<String>> names) {
        declared = names;
    }

    public void listener(Listener newListener) {
        listener = newListener;
    }

    List<String> declared() {
        return declared.get();
    }

    /** As the database answered a heartbeat. */
    void heard(@Nullable Duration next) {
        known = next != null;
        Listener told = listener;
        if (told != null) {
            told.nextIn(next);
        }
    }

    /** Some instance has changed a schedule. */
    void changed() {
        known = true;
        Listener told = listener;
        if (told != null) {
            told.changed();
        }
    }

    /** Messages may have been missed. Without schedules the next heartbeat is soon enough. */
    void missed() {
        if (known) {
            changed();
        }
    }
}
