package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.admin.BulkAction;
import io.konduit.queue.admin.BulkResult;
import io.konduit.queue.admin.TaskAdministration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** S13: {@code bulk/{action}}. A dry run by default. */
final class BulkOperations {
    static final String LIST = "bulk";
    private static final List<String> PATHS =
            List.of("bulk/release", "bulk/fail", "bulk/retry", "bulk/cancel", "bulk/reschedule");

    private final TaskAdministration tasks;

    BulkOperations(TaskAdministration tasks) {
        this.tasks = tasks;
    }

    /**
     * The result.
     *
     * @param skipped matched and were not changed: locked, changed in the meantime, or their unique key was taken
     * @param more whether 'limit' ended the call early
     */
    record Answer(
            boolean dryRun,
            String action,
            long matched,
            Map<String, Long> byStatus,
            long changed,
            long skipped,
            boolean more,
            String explanation)
            implements OperationResponseBody {

        static Answer of(boolean dryRun, BulkAction action, BulkResult result) {
            Map<String, Long> byStatus = new TreeMap<>();
            result.byStatus().forEach((status, count) -> byStatus.put(status.name(), count));
            return new Answer(
                    dryRun,
                    action.toString(),
                    result.matched(),
                    byStatus,
                    result.changed(),
                    result.skipped(),
                    result.more(),
                    explain(dryRun, result));
        }

        private static String explain(boolean dryRun, BulkResult result) {
            if (dryRun) {
                return "Nothing was changed. Repeat with \"dryRun\": false to do it.";
            }
            return result.more()
                    ? "'limit' was reached. Repeat the call to process the rest."
                    : "All tasks that matched when the call began were examined.";
        }
    }

    static BulkAction action(String list, String action, ActionBody body) {
        return switch (list + "/" + action) {
            case "bulk/release" -> BulkAction.release();
            case "bulk/fail" -> BulkAction.fail();
            case "bulk/retry" -> BulkAction.retry(body.moreAttempts());
            case "bulk/cancel" -> BulkAction.cancel();
            case "bulk/reschedule" -> {
                Instant at = body.startAt();
                yield at == null ? BulkAction.reschedule(body.startIn()) : BulkAction.reschedule(at);
            }
            default -> throw new UnknownPathException(PATHS, list + "/" + action);
        };
    }

    OperationResponseBody run(BulkAction action, BulkBody body, String actor) {
        return body.isDryRun()
                ? Answer.of(true, action, tasks.count(action, body.filter()))
                : Answer.of(
                        false,
                        action,
                        tasks.apply(
                                action,
                                body.filter(),
                                body.rowLimit(),
                                actor,
                                body.action().note()));
    }
}
