package io.konduit.queue.store;

/** Receives control messages: the worker in the same JVM, and the notifier that passes them on. Must not block. */
@FunctionalInterface
public interface ControlReceiver {
    void receive(ControlMessage message);
}
