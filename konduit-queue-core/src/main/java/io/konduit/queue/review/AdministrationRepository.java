package io.konduit.queue.review;

import io.konduit.queue.TaskId;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.jdbc.SqlArrays;
import io.konduit.queue.store.ControlMessages;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Operator decisions. Each is one statement with its audit row, and returns whether it took effect. */
public final class AdministrationRepository {
    private final QueueDatabase database;
    private final ControlMessages messages;

    public AdministrationRepository(QueueDatabase database) {
        this(database, ControlMessages.none(database));
    }

    /** @param messages called when running tasks were cancelled */
    public AdministrationRepository(QueueDatabase database, ControlMessages messages) {
        this.database = database;
        this.messages = messages;
    }

    /** T12. */
    public boolean release(TaskId id, String actor, @Nullable String note) {
        return database.joining(() -> decision("release", id, actor, note).update() == 1);
    }

    /** T14. */
    public boolean failByHand(TaskId id, String actor, @Nullable String note) {
        return database.joining(() -> decision("fail-by-hand", id, actor, note).update() == 1);
    }

    /** T13. */
    public boolean retry(TaskId id, int attempts, String actor, @Nullable String note) {
        return database.joining(() ->
                decision("retry", id, actor, note).param("attempts", attempts).update() == 1);
    }

    /** The same for many tasks at once. */
    public BulkRepository bulk() {
        return new BulkRepository(database, messages);
    }

    private JdbcClient.StatementSpec decision(String statement, TaskId id, String actor, @Nullable String note) {
        return database.application(statement)
                .param("ids", SqlArrays.bigints(List.of(id), TaskId::value))
                .param("actor", actor)
                .param("note", note);
    }
}
