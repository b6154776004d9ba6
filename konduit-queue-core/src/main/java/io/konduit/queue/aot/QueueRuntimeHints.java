package io.konduit.queue.aot;

import io.konduit.queue.schema.QuietFlyway;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Resources and classes that are loaded by name: statements, migrations, the version, Flyway's log. */
final class QueueRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources()
                .registerPattern("io/konduit/queue/store/*.sql")
                .registerPattern("io/konduit/queue/db/*.sql")
                .registerPattern("io/konduit/queue/worker/version.properties");
        hints.reflection().registerType(QuietFlyway.class, MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
    }
}
