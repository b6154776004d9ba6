package io.konduit.queue;

/**
 * Ends a run whose worker was told to drain, right after a checkpoint was stored: another worker goes on from there, and no
 * attempt is charged. Thrown by {@link TaskContext#checkpoint}, or by the commit of the transaction that the checkpoint was
 * part of. Let it pass.
 *
 * <p>An {@link Error}, so that a handler's {@code catch (Exception e)} does not take it for a failure of its work.
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

    /** Whether this is what ended a run, also behind exceptions that others have put around it. */
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
