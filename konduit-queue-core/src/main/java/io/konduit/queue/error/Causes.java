package io.konduit.queue.error;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the application's errors, whose methods may all throw and whose causes may form cycles. */
final class Causes {
    private static final int MAX_CAUSES = 1_000;
    private static final StackTraceElement[] NO_FRAMES = {};

    private Causes() {}

    /** The error and its causes, the root cause last. */
    static List<Throwable> of(Throwable error) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        List<Throwable> causes = new ArrayList<>();
        Throwable current = error;
        while (current != null && causes.size() < MAX_CAUSES && seen.add(current)) {
            causes.add(current);
            current = cause(current);
        }
        return causes;
    }

    static Throwable root(Throwable error) {
        List<Throwable> causes = of(error);
        return causes.get(causes.size() - 1);
    }

    static @Nullable String message(Throwable error) {
        try {
            return error.getMessage();
        } catch (Throwable e) {
            return "(its message could not be read)";
        }
    }

    @SuppressWarnings("ConstantValue") // an application may override it and return anything
    static StackTraceElement[] frames(Throwable error) {
        try {
            StackTraceElement[] frames = error.getStackTrace();
            return frames == null || List.of(frames).isEmpty() ? NO_FRAMES : frames;
        } catch (Throwable e) {
            return NO_FRAMES;
        }
    }

    private static @Nullable Throwable cause(Throwable error) {
        try {
            return error.getCause();
        } catch (Throwable e) {
            return null;
        }
    }
}
