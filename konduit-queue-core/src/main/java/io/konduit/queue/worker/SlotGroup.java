package io.konduit.queue.worker;

import io.konduit.queue.settings.WorkerSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Queues that share a number of slots. */
record SlotGroup(String name, List<String> queues, int slots) {

    /** One slot group for each queue with its own slots, and one for all other queues together. */
    static List<SlotGroup> of(WorkerSettings settings) {
        Map<String, Integer> own = settings.queueConcurrency();
        List<SlotGroup> groups = new ArrayList<>();
        List<String> shared = settings.queues().stream()
                .distinct()
                .filter(queue -> !own.containsKey(queue))
                .toList();
        if (!shared.isEmpty()) {
            groups.add(new SlotGroup(shared.get(0), shared, settings.concurrency()));
        }
        own.forEach((queue, slots) -> groups.add(new SlotGroup(queue, List.of(queue), slots)));
        return groups;
    }
}
