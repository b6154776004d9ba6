package io.konduit.queue.worker;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/** The savepoints of a transaction that are younger than something done in it, which outlives a rollback to them. */
final class YoungerSavepoints {
    private final Set<Object> savepoints = Collections.newSetFromMap(new IdentityHashMap<>());

    void add(Object savepoint) {
        savepoints.add(savepoint);
    }

    boolean contains(Object savepoint) {
        return savepoints.contains(savepoint);
    }
}
