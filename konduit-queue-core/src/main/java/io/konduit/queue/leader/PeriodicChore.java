package io.konduit.queue.leader;

import java.time.Duration;

/** A chore that simply runs once per interval. */
public record PeriodicChore(String name, Duration interval, Runnable pass) implements Chore {

    @Override
    public Duration run() {
        pass.run();
        return interval;
    }
}
