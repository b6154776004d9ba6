package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.Schedules;
import io.konduit.queue.admin.PayloadRedaction;
import io.konduit.queue.admin.QueueAdministration;
import io.konduit.queue.admin.QueueInspection;
import io.konduit.queue.admin.TaskAdministration;
import io.konduit.queue.admin.WorkerAdministration;
import io.konduit.queue.autoconfigure.KonduitQueueAutoConfiguration;
import io.konduit.queue.autoconfigure.KonduitQueueProperties;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The endpoint {@code konduitqueue}, when the application has Actuator and exposes it. */
@AutoConfiguration(after = KonduitQueueAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean({QueueInspection.class, TaskAdministration.class})
public final class KonduitQueueEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint(KonduitQueueEndpoint.class)
    QueueOperations konduitQueueOperations(
            QueueInspection inspection,
            TaskAdministration tasks,
            QueueAdministration queues,
            WorkerAdministration workers,
            Schedules schedules,
            KonduitQueueProperties properties,
            ObjectProvider<PayloadRedaction> redactions) {
        KonduitQueueProperties.Endpoint endpoint = properties.endpoint();
        Disclosure disclosure = new Disclosure(
                Show.valueOf(endpoint.showPayloads().name()),
                endpoint.roles(),
                redactions.orderedStream().toList());
        return new QueueOperations(
                new QueueReads(inspection, disclosure, new ScheduleOperations(schedules)),
                inspection,
                tasks,
                queues,
                workers,
                new ScheduleOperations(schedules),
                endpoint.allowWrites());
    }

    /** Applies to every endpoint, so it is created early: it needs nothing, and leaves other endpoints alone. */
    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint(KonduitQueueEndpoint.class)
    static KnownParameters konduitQueueKnownParameters() {
        return new KnownParameters();
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint(KonduitQueueEndpoint.class)
    KonduitQueueEndpoint konduitQueueEndpoint(QueueOperations operations) {
        return new KonduitQueueEndpoint(operations);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint(KonduitQueueEndpoint.class)
    KonduitQueueWebExtension konduitQueueWebExtension(QueueOperations operations) {
        return new KonduitQueueWebExtension(operations);
    }
}
