package io.konduit.queue.aot;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** The statements and migrations, which are read from the class path by name. */
final class QueueRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("io/konduit/queue/store/*.sql").registerPattern("io/konduit/queue/db/*.sql");
    }
}
