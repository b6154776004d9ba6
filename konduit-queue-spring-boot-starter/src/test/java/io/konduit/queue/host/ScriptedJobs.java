package io.konduit.queue.host;

import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskContext;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.springframework.transaction.annotation.Transactional;

/** Handlers that do what a test tells them to. */
public class ScriptedJobs {
    private final BlockingQueue<Optional<Throwable>> ends = new LinkedBlockingQueue<>();
    private volatile Script script = task -> {};

    /** What a handler does. */
    public interface Script {
        void run(TaskContext task) throws Exception;
    }

    public void will(Script next) {
        script = next;
    }

    @JobHandler("scripted")
    public void plain(TaskContext task) throws Exception {
        play(task);
    }

    @JobHandler(value = "scripted.transactional", transactional = true)
    public void transactional(TaskContext task) throws Exception {
        play(task);
    }

    @Transactional
    @JobHandler("scripted.annotated")
    public void annotated(TaskContext task) throws Exception {
        play(task);
    }

    @Transactional(timeout = 5)
    @JobHandler("scripted.limited")
    public void limited(TaskContext task) throws Exception {
        play(task);
    }

    private void play(TaskContext task) throws Exception {
        try {
            script.run(task);
            ends.add(Optional.empty());
        } catch (Throwable e) {
            ends.add(Optional.of(e));
            throw e;
        }
    }

    /** Waits for the end of a run and returns what it threw; null when it threw nothing. */
    public Throwable awaitEnd() throws InterruptedException {
        Optional<Throwable> end = ends.poll(20, TimeUnit.SECONDS);
        if (end == null) {
            throw new AssertionError("No handler has ended within 20 seconds");
        }
        return end.orElse(null);
    }
}
