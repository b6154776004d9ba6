package io.konduit.queue.autoconfigure;

import io.konduit.queue.InvalidSettingsException;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.store.QueueDatabase;
import io.konduit.queue.store.WorkerRepository;
import io.konduit.queue.worker.DeclaredQueues;
import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Which queues handlers declare, and who serves them. */
@Configuration(proxyBeanMethods = false)
class DeclaredQueuesConfiguration {

    /** What {@code konduit.queue.worker.queues} names; none when it is not set. */
    static List<String> queues(KonduitQueueProperties.Worker worker) {
        List<String> queues = worker.queues();
        if (queues != null && queues.isEmpty()) {
            throw new InvalidSettingsException(
                    "'konduit.queue.worker.queues' must name at least one queue. Remove it to"
                            + " serve 'default' and the queues that handlers declare.");
        }
        return queues == null ? List.of() : queues;
    }

    @Bean
    @ConditionalOnMissingBean
    DeclaredQueues konduitDeclaredQueues(
            JobHandlerRegistry handlers, QueueDatabase database, KonduitQueueProperties properties) {
        return new DeclaredQueues(
                handlers, new WorkerRepository(database), properties.worker().staleThreshold());
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty(name = "konduit.queue.worker.enabled", matchIfMissing = true)
    UnservedQueuesWarning konduitUnservedQueuesWarning(
            DeclaredQueues declared, KonduitQueueProperties properties, ApplicationContext context) {
        return new UnservedQueuesWarning(declared, queues(properties.worker()), context);
    }
}
