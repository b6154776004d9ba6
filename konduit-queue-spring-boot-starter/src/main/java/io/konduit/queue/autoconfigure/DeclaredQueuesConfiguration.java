package io.konduit.queue.autoconfigure;

import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.settings.PropertyNames;
import io.konduit.queue.settings.QueueSettings;
import io.konduit.queue.store.WorkerRepository;
import io.konduit.queue.worker.DeclaredQueues;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The queues that handlers declare, and whether they are served. */
@Configuration(proxyBeanMethods = false)
class DeclaredQueuesConfiguration {

    @Bean
    @ConditionalOnMissingBean
    DeclaredQueues konduitDeclaredQueues(JobHandlerRegistry handlers, QueueDatabase database, QueueSettings settings) {
        return new DeclaredQueues(
                handlers, new WorkerRepository(database), settings.inspection().staleThreshold());
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty(name = PropertyNames.WORKER_ENABLED, matchIfMissing = true)
    UnservedQueuesWarning konduitUnservedQueuesWarning(
            DeclaredQueues declared, QueueSettings settings, ApplicationContext context) {
        return new UnservedQueuesWarning(declared, settings.instance().queues(), context);
    }
}
