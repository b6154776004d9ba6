package io.konduit.queue.faults;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/** The worker JVMs of one test: ended after it, and their output printed when it has failed. */
final class WorkerJvms implements TestWatcher, AfterEachCallback {
    private final List<WorkerJvm> all = new ArrayList<>();

    WorkerJvm add(WorkerJvm jvm) {
        all.add(jvm);
        return jvm;
    }

    List<WorkerJvm> all() {
        return all;
    }

    Stream<WorkerJvm> stream() {
        return all.stream();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        all.forEach(WorkerJvm::close);
        all.forEach(WorkerJvm::awaitEnd);
    }

    @Override
    public void testFailed(ExtensionContext context, Throwable cause) {
        all.forEach(jvm -> System.out.println(jvm.log()));
    }
}
