package io.konduit.queue.testing;

import org.jspecify.annotations.Nullable;

/**
 * Ends a run where its process could die. An {@link Error}, so that a handler's {@code catch (Exception e)} does not
 * treat it as a failure.
 */
final class SimulatedDeath extends Error {
    private static final long serialVersionUID = 1L;

    SimulatedDeath(String point) {
        super("The test lets this worker die " + point + ". Let this pass.", null, false, false);
    }

    /** Whether this error, or any cause of it, is a death. Frameworks may have wrapped it. */
    static boolean isBehind(@Nullable Throwable error) {
        int depth = 0;
        for (Throwable cause = error; cause != null && depth < 50; cause = cause.getCause()) {
            if (cause instanceof SimulatedDeath) {
                return true;
            }
            depth++;
        }
        return false;
    }
}
