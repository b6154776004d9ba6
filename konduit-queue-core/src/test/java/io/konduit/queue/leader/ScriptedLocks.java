package io.konduit.queue.leader;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;

/** An application's own lock provider, of which a test decides what it answers. */
final class ScriptedLocks implements LockProvider {
    volatile Supplier<Boolean> onLock = () -> true;
    volatile Supplier<Boolean> onExtend = () -> true;
    int locked;
    int extended;
    int unlocked;
    LockConfiguration asked;

    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        asked = configuration;
        if (!onLock.get()) {
            return Optional.empty();
        }
        locked++;
        return Optional.of(new Lock());
    }

    private final class Lock implements SimpleLock {
        @Override
        public void unlock() {
            unlocked++;
        }

        @Override
        public Optional<SimpleLock> extend(Duration lockAtMostFor, Duration lockAtLeastFor) {
            if (!onExtend.get()) {
                return Optional.empty();
            }
            extended++;
            return Optional.of(new Lock());
        }
    }
}
