package io.konduit.queue.store;

import io.konduit.queue.TaskId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Payloads and checkpoints, for people who may see them. */
public final class ContentRepository {
    private final QueueDatabase database;

    public ContentRepository(QueueDatabase database) {
        this.database = database;
    }

    /**
     * What a task works on and how far it is, as JSON.
     *
     * @param payload null when it is too large
     * @param checkpoint null when there is none or it is too large
     * @param tooLarge whether one of them was left out
     */
    public record Content(
            @Nullable String payload, @Nullable String checkpoint, boolean tooLarge) {

        /** Neither is for logs. */
        @Override
        public String toString() {
            return "Content[tooLarge=" + tooLarge + "]";
        }
    }

    /** The contents of these tasks, without those that take more than {@code maxBytes} in the database. */
    public Map<TaskId, Content> read(Collection<TaskId> ids, int maxBytes) {
        Map<TaskId, Content> contents = new HashMap<>();
        if (!ids.isEmpty()) {
            database.application("read-contents")
                    .param("ids", SqlArrays.bigints(ids, TaskId::value))
                    .param("maxBytes", maxBytes)
                    .query((row, number) -> contents.put(TaskId.of(row.getLong("id")), content(row, maxBytes)))
                    .list();
        }
        return contents;
    }

    private static Content content(ResultSet row, int maxBytes) throws SQLException {
        boolean tooLarge = row.getInt("payload_size") > maxBytes || row.getInt("checkpoint_size") > maxBytes;
        return new Content(row.getString("payload"), row.getString("checkpoint"), tooLarge);
    }
}
