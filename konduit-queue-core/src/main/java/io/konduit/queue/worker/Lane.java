package io.konduit.queue.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Queues that share a number of slots. */
record Lane(String name, List<String> queues, int slots) {

    /** One lane for each queue that has slots of its own, and one for all the others together. */
    static List<Lane> of(WorkerSettings settings) {
        Map<String, Integer> own = settings.queueConcurrency();
        List<Lane> lanes = new ArrayList<>();
        List<String> shared = settings.queues().stream()
                .distinct()
                .filter(queue -> !own.containsKey(queue))
                .toList();
        if (!shared.isEmpty()) {
            lanes.add(new Lane(shared.get(0), shared, settings.concurrency()));
        }
        own.forEach((queue, slots) -> lanes.add(new Lane(queue, List.of(queue), slots)));
        return lanes;
    }
}
