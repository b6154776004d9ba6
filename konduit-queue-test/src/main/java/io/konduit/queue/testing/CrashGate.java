package io.konduit.queue.testing;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The run that is watched in this JVM: one at a time, because a handler's threads are not known in advance. */
final class CrashGate {
    private static final AtomicReference<@Nullable Life> WATCHED = new AtomicReference<>();

    private CrashGate() {}

    static @Nullable Life life() {
        return WATCHED.get();
    }

    static void open(Life life) {
        if (!WATCHED.compareAndSet(null, life)) {
            throw new IllegalStateException(
                    "Another test of crashes is running in this JVM. Run them one after another: they share the database.");
        }
    }

    /** May be called twice. */
    static void close(Life life) {
        WATCHED.compareAndSet(life, null);
    }
}
