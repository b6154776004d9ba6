package io.konduit.queue.testing;

import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import java.time.Duration;
import java.util.Optional;

/** The context of a watched run: its checkpoints are points, and a dead run writes none. */
final class WatchedContext implements TaskContext {
    private final TaskContext context;
    private final Life life;

    WatchedContext(TaskContext context, Life life) {
        this.context = context;
        this.life = life;
    }

    @Override
    public TaskId id() {
        return context.id();
    }

    @Override
    public String type() {
        return context.type();
    }

    @Override
    public String queue() {
        return context.queue();
    }

    @Override
    public int attempt() {
        return context.attempt();
    }

    @Override
    public int maxAttempts() {
        return context.maxAttempts();
    }

    @Override
    public int zombieCount() {
        return context.zombieCount();
    }

    @Override
    public boolean recovering() {
        return context.recovering();
    }

    @Override
    public long fencingToken() {
        return context.fencingToken();
    }

    @Override
    public String idempotencyKey() {
        return context.idempotencyKey();
    }

    @Override
    public void checkpoint(Object state) {
        life.checkpoint(() -> context.checkpoint(state));
    }

    @Override
    public void snooze(Duration duration) {
        life.requireAlive();
        context.snooze(duration);
    }

    @Override
    public <T> Optional<T> lastCheckpoint(Class<T> type) {
        return context.lastCheckpoint(type);
    }

    @Override
    public boolean cancelled() {
        return context.cancelled();
    }

    @Override
    public boolean draining() {
        return context.draining();
    }

    @Override
    public void assertLease() {
        life.requireAlive();
        context.assertLease();
    }
}
