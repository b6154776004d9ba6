package io.konduit.queue.worker;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/** The savepoints that are younger than a given change in a transaction. The change survives a rollback to any of them. */
final class YoungerSavepoints {
    private final Set<Object> savepoints = Collections.newSetFromMap(new IdentityHashMap<>());

    void add(Object savepoint) {
        savepoints.add(savepoint);
    }

    boolean contains(Object savepoint) {
        return savepoints.contains(savepoint);
    }
}
