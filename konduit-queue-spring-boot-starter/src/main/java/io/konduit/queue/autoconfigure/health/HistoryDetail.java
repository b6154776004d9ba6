package io.konduit.queue.autoconfigure.health;

import io.konduit.queue.retention.HistoryPruner;
import io.konduit.queue.retention.HistoryPruner.Mode;
import java.util.Locale;
import java.util.Map;

/** R1: how completed and cancelled tasks are removed. */
final class HistoryDetail {
    private static final String NOTE =
            "The user of the data source may not truncate the slots of konduit_task_history, so their rows are deleted, which"
                    + " costs more. Grant it 'truncate' on konduit_task_history_0 to konduit_task_history_7.";

    private HistoryDetail() {}

    static Map<String, Object> of(HistoryPruner history) {
        Mode mode = history.mode();
        Map<String, Object> detail = new java.util.LinkedHashMap<>();
        detail.put("removedBy", mode.name().toLowerCase(Locale.ROOT));
        if (mode == Mode.DELETE) {
            detail.put("note", NOTE);
        }
        return detail;
    }
}
