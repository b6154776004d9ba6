package io.konduit.queue.worker;

import io.konduit.queue.handler.JobHandlerMethod;
import io.konduit.queue.settings.TaskNames;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** The queues a worker serves: those its settings name or, if they name none, the default and declared ones. */
public final class ServedQueues {
    private ServedQueues() {}

    /** @param configured what {@code konduit.queue.worker.queues} names; none when it is not set */
    public static List<String> of(List<String> configured, Collection<JobHandlerMethod> handlers) {
        if (!configured.isEmpty()) {
            return configured;
        }
        TreeSet<String> declared = new TreeSet<>(declared(handlers).keySet());
        declared.remove(TaskNames.DEFAULT_QUEUE);
        List<String> served = new ArrayList<>(List.of(TaskNames.DEFAULT_QUEUE));
        served.addAll(declared);
        return List.copyOf(served);
    }

    /** The queues that handlers declare, each with the types of its handlers. */
    static SortedMap<String, List<String>> declared(Collection<JobHandlerMethod> handlers) {
        SortedMap<String, List<String>> types = new TreeMap<>();
        for (JobHandlerMethod handler : handlers) {
            if (handler.queue() != null) {
                types.computeIfAbsent(handler.queue(), queue -> new ArrayList<>())
                        .add(handler.type());
            }
        }
        return types;
    }
}
