package io.konduit.queue.autoconfigure.metrics;

import io.konduit.queue.handler.JobHandlerMethod;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.metrics.QueueMetrics;
import io.konduit.queue.settings.TaskNames;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;

/** Starts the counters of this worker's types when all handlers are known; repeating it changes nothing. */
record ExpectedSeries(QueueMetrics metrics, JobHandlerRegistry handlers) {

    @EventListener(ContextRefreshedEvent.class)
    void started() {
        for (JobHandlerMethod handler : handlers.all()) {
            String queue = handler.queue();
            String named = queue == null ? TaskNames.DEFAULT_QUEUE : queue;
            metrics.expect(named, handler.type());
            if (handler.recurrence() != null) {
                metrics.expectSchedule(named, handler.type());
            }
        }
    }
}
