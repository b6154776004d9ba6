package io.konduit.queue.leader;

import java.time.Duration;

/** A chore that runs once per interval. */
public record PeriodicChore(String name, Duration interval, Runnable pass, boolean isRecorded) implements Chore {

    public PeriodicChore(String name, Duration interval, Runnable pass) {
        this(name, interval, pass, true);
    }

    @Override
    public Duration run() {
        pass.run();
        return interval;
    }
}
