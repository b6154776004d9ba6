package io.konduit.queue.worker;

import io.konduit.queue.InvalidTaskException;
import io.konduit.queue.LeaseLostException;
import io.konduit.queue.Task;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskSnoozedError;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.settings.DurationText;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.LeaseRepository;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The context of one run. */
final class HandlerContext implements TaskContext {
    private static final Duration SHORTEST_SNOOZE = Duration.ofMillis(1);
    private static final Duration LONGEST_SNOOZE = Duration.ofDays(36_500);

    private final RunningTask run;
    private final LeaseRepository leases;
    private final LeaseFence fence;
    private final PayloadConverter converter;
    private volatile @Nullable String checkpoint;

    HandlerContext(RunningTask run, LeaseRepository leases, LeaseFence fence, PayloadConverter converter) {
        this.run = run;
        this.leases = leases;
        this.fence = fence;
        this.converter = converter;
        this.checkpoint = run.task().checkpoint();
    }

    @Override
    public TaskId id() {
        return TaskId.of(task().id());
    }

    @Override
    public String type() {
        return task().type();
    }

    @Override
    public String queue() {
        return task().queue();
    }

    @Override
    public int attempt() {
        return task().attempt();
    }

    @Override
    public int maxAttempts() {
        return task().maxAttempts();
    }

    @Override
    public int zombieCount() {
        return task().lease().zombieCount();
    }

    @Override
    public boolean recovering() {
        return zombieCount() > 0;
    }

    @Override
    public long fencingToken() {
        return task().lease().epoch();
    }

    @Override
    public String idempotencyKey() {
        return Task.idempotencyKey(id(), type(), task().createdAt().toInstant());
    }

    @Override
    public void checkpoint(Object state) {
        String json = converter.write(state, "the checkpoint of type '" + type() + "'");
        fence.beforeRowWrite();
        if (run.dropsResult() || !leases.checkpoint(task().lease(), task().lockTimeout(), json)) {
            throw lost();
        }
        fence.rowWritten(() -> checkpoint = json);
    }

    @Override
    public void snooze(Duration duration) {
        if (duration.compareTo(SHORTEST_SNOOZE) < 0 || duration.compareTo(LONGEST_SNOOZE) > 0) {
            throw new InvalidTaskException("Expected the snooze of %s to be between 1ms and 36500d, but it is %s."
                    .formatted(task(), DurationText.of(duration)));
        }
        if (run.dropsResult()) {
            throw lost();
        }
        throw new TaskSnoozedError(task().toString(), duration);
    }

    @Override
    public <T> Optional<T> lastCheckpoint(Class<T> type) {
        String json = checkpoint;
        return json == null
                ? Optional.empty()
                : Optional.ofNullable(type.cast(converter.read(json, type, "the checkpoint of type '" + type() + "'")));
    }

    @Override
    public Optional<Instant> scheduledFor() {
        return Optional.ofNullable(task().scheduledFor()).map(OffsetDateTime::toInstant);
    }

    @Override
    public boolean cancelled() {
        return run.ended() != null;
    }

    @Override
    public boolean draining() {
        return fence.isDraining();
    }

    @Override
    public void assertLease() {
        if (run.dropsResult() || !leases.isHeld(task().lease())) {
            throw lost();
        }
    }

    private LeaseLostException lost() {
        run.endFromWithin(RunningTask.End.LOST);
        return new LeaseLostException(
                run.ended() == RunningTask.End.CANCELLED
                        ? "The task was cancelled: stop the handler of " + task() + ", its result is refused."
                        : "The lease on " + task()
                                + " is lost: stop the handler, its result will be refused. Another run has the task, or it is held for a person.");
    }

    private ClaimedTask task() {
        return run.task();
    }
}
