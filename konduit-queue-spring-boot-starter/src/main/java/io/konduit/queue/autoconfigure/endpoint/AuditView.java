package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.admin.AuditAction;
import io.konduit.queue.admin.AuditEntry;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import tools.jackson.databind.json.JsonMapper;

/** Operations of operators on many tasks, on workers and on schedules. */
record AuditView(List<Entry> audit, @Nullable String next) implements OperationResponseBody {

    record Entry(
            long id,
            Instant at,
            String actor,
            String action,
            @Nullable String worker,
            @Nullable String schedule,
            @Nullable Object filter,
            int changed,
            @Nullable String note) {

        private static final Set<AuditAction> OF_SCHEDULES =
                Set.of(AuditAction.PAUSE_SCHEDULE, AuditAction.RESUME_SCHEDULE, AuditAction.RUN_SCHEDULE);

        static Entry of(AuditEntry found) {
            boolean schedule = OF_SCHEDULES.contains(found.action());
            return new Entry(
                    found.id(),
                    found.at(),
                    found.actor(),
                    found.action().name(),
                    schedule ? null : found.target(),
                    schedule ? found.target() : null,
                    fields(found.filter()),
                    found.changed(),
                    found.note());
        }

        private static @Nullable Object fields(@Nullable String json) {
            return json == null ? null : JsonMapper.shared().readValue(json, Map.class);
        }
    }

    static AuditView of(List<AuditEntry> found, int size) {
        return new AuditView(
                found.stream().map(Entry::of).toList(),
                found.size() < size ? null : Long.toString(found.get(size - 1).id()));
    }
}
