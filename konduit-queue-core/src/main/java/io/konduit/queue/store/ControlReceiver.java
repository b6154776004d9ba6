package io.konduit.queue.store;

/** Told what an instance tells the others: the worker in the same JVM, and the notifier that passes it on. Must not block. */
@FunctionalInterface
public interface ControlReceiver {
    void receive(ControlMessage message);
}
