package io.konduit.queue.engine;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A part of the queue, created on first use. No lock is held meanwhile, because creating a part may ask the
 * application's context for a bean, and the context has its own locks. If two threads create it at the same time, one
 * instance is discarded.
 */
final class Part<T> implements Supplier<T> {
    private final AtomicReference<@Nullable T> made = new AtomicReference<>();
    private final Supplier<? extends T> maker;

    Part(Supplier<? extends T> maker) {
        this.maker = maker;
    }

    @Override
    public T get() {
        T known = made.get();
        if (known != null) {
            return known;
        }
        T own = maker.get();
        T earlier = made.compareAndExchange(null, own);
        return earlier == null ? own : earlier;
    }
}
