package io.konduit.queue.observation;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Limits the number of tag values: beyond the limit all others share one. */
public final class LimitedTags {
    private static final int MAX = 200;
    private static final String REST = "other";

    private final Set<String> known = ConcurrentHashMap.newKeySet();
    private final int limit;

    public LimitedTags() {
        this(MAX);
    }

    /** @param limit how many values are kept apart */
    public LimitedTags(int limit) {
        this.limit = limit;
    }

    public String of(String value) {
        if (known.contains(value)) {
            return value;
        }
        return known.size() < limit && known.add(value) || known.contains(value) ? value : REST;
    }
}
