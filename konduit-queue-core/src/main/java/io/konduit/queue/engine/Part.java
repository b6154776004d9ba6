package io.konduit.queue.engine;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A part of the queue that is made when it is first asked for. No lock is held meanwhile: making a part may ask the
 * application's context for a bean, and the context has locks of its own. Of two that are made at the same time, one counts.
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
