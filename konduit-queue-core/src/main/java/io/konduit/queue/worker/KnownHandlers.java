package io.konduit.queue.worker;

import io.konduit.queue.handler.JobHandlerMethod;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.store.ClaimRequest.Declared;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** S10: which types this worker can run. A type it has met and cannot run is left to workers that can. */
final class KnownHandlers {
    private static final Logger log = LoggerFactory.getLogger(KnownHandlers.class);
    private static final int MOST_UNKNOWN = 1_000;

    private final JobHandlerRegistry registry;
    private final List<Declared> declared;
    private final Set<String> unknownTypes = ConcurrentHashMap.newKeySet();

    KnownHandlers(JobHandlerRegistry registry) {
        this.registry = registry;
        this.declared = registry.all().stream()
                .filter(handler ->
                        handler.lockTimeout() != null || handler.maxAttempts() != null || !handler.reapable())
                .map(handler ->
                        new Declared(handler.type(), handler.lockTimeout(), handler.maxAttempts(), handler.reapable()))
                .toList();
    }

    Optional<JobHandlerMethod> find(String type) {
        return registry.find(type);
    }

    /** What handlers declare beyond the defaults. */
    Collection<Declared> declared() {
        return declared;
    }

    Collection<String> unknownTypes() {
        return unknownTypes;
    }

    /** Leaves the type to others from now on; false when there are too many of them to remember. */
    boolean met(String unknownType) {
        if (unknownTypes.size() >= MOST_UNKNOWN) {
            return unknownTypes.contains(unknownType);
        }
        if (unknownTypes.add(unknownType)) {
            log.warn(
                    "This worker has no handler for tasks of type '{}' and leaves them to workers that have; it knows {}",
                    unknownType,
                    registry.types());
        }
        return true;
    }
}
