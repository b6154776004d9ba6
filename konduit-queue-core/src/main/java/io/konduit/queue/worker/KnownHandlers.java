package io.konduit.queue.worker;

import io.konduit.queue.handler.JobHandlerMethod;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.store.ClaimRequest.Declared;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** S10: the types that this worker can run. It leaves other types to workers that can run them. */
public final class KnownHandlers {
    private final JobHandlerRegistry registry;
    private final List<Declared> declared;

    public KnownHandlers(JobHandlerRegistry registry) {
        this.registry = registry;
        this.declared = registry.all().stream()
                .filter(handler ->
                        handler.lockTimeout() != null || handler.maxAttempts() != null || !handler.reapable())
                .map(handler ->
                        new Declared(handler.type(), handler.lockTimeout(), handler.maxAttempts(), handler.reapable()))
                .toList();
    }

    public Optional<JobHandlerMethod> find(String type) {
        return registry.find(type);
    }

    /** What handlers declare beyond the defaults. */
    public Collection<Declared> declared() {
        return declared;
    }

    public Collection<String> types() {
        return registry.types();
    }
}
