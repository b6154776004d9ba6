package io.konduit.queue.faults;

import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TestNode;

/** An application that shares its queue with another one and has none of its handlers. */
final class MailHandlers {
    private final TestNode node;

    MailHandlers(TestNode node) {
        this.node = node;
    }

    @JobHandler("mail")
    void mail(TaskContext task) {
        Oracle.say(
                "start",
                task.id().value(),
                task.fencingToken(),
                node.worker().identity().id());
        Oracle.say(
                "end",
                task.id().value(),
                task.fencingToken(),
                node.worker().identity().id());
    }
}
