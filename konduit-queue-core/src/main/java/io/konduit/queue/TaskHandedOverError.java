package io.konduit.queue;

/**
 * Ends a run on a draining worker right after a checkpoint was stored. Another worker resumes from that checkpoint, and
 * no attempt is charged. Thrown by {@link TaskContext#checkpoint}, or by the commit of the transaction that contains
 * the checkpoint. Do not catch it.
 *
 * <p>An {@link Error}, so that a handler's {@code catch (Exception e)} does not treat it as a failure.
 */
public final class TaskHandedOverError extends Error {
    private static final long serialVersionUID = 1L;

    public TaskHandedOverError(String task) {
        super(
                "This worker drains: " + task + " is handed over after its checkpoint. Let this pass.",
                null,
                false,
                false);
    }

    /** Whether this error, or any cause of it, is a hand-over. Frameworks may have wrapped it. */
    public static boolean isBehind(Throwable error) {
        int depth = 0;
        for (Throwable cause = error; cause != null && depth < 50; cause = cause.getCause()) {
            if (cause instanceof TaskHandedOverError) {
                return true;
            }
            depth++;
        }
        return false;
    }
}
