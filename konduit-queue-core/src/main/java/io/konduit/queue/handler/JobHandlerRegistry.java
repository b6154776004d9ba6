package io.konduit.queue.handler;

import io.konduit.queue.DuplicateJobHandlerException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The handlers of this application by task type. The scan runs on first use. */
public final class JobHandlerRegistry {
    private final Supplier<Collection<JobHandlerMethod>> source;
    private volatile @Nullable Map<String, JobHandlerMethod> byType;

    public JobHandlerRegistry(Supplier<Collection<JobHandlerMethod>> source) {
        this.source = source;
    }

    /** Scans again: beans that did not exist at the first enqueue may have handlers. */
    public synchronized void refresh() {
        byType = index(source.get());
    }

    public Optional<JobHandlerMethod> find(String type) {
        return Optional.ofNullable(handlers().get(type));
    }

    public Collection<JobHandlerMethod> all() {
        return handlers().values();
    }

    public Set<String> types() {
        return handlers().keySet();
    }

    private Map<String, JobHandlerMethod> handlers() {
        Map<String, JobHandlerMethod> known = byType;
        if (known == null) {
            synchronized (this) {
                known = byType;
                if (known == null) {
                    known = index(source.get());
                    byType = known;
                }
            }
        }
        return known;
    }

    private static Map<String, JobHandlerMethod> index(Collection<JobHandlerMethod> found) {
        Map<String, JobHandlerMethod> byType = new TreeMap<>();
        for (JobHandlerMethod handler : found) {
            JobHandlerMethod first = byType.putIfAbsent(handler.type(), handler);
            if (first != null) {
                throw new DuplicateJobHandlerException(HandledType.twice(first, handler));
            }
        }
        return byType;
    }
}
