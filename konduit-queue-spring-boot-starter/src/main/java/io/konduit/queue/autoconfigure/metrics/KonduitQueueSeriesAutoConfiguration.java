package io.konduit.queue.autoconfigure.metrics;

import io.konduit.queue.autoconfigure.KonduitQueueWorkerAutoConfiguration;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.metrics.QueueMetrics;
import io.konduit.queue.settings.PropertyNames;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** The counters of the types that a worker handles, from its start on. */
@AutoConfiguration(after = KonduitQueueWorkerAutoConfiguration.class)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({QueueMetrics.class, JobHandlerRegistry.class})
@ConditionalOnProperty(name = PropertyNames.WORKER_ENABLED, matchIfMissing = true)
public final class KonduitQueueSeriesAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    ExpectedSeries konduitExpectedSeries(QueueMetrics metrics, JobHandlerRegistry handlers) {
        return new ExpectedSeries(metrics, handlers);
    }
}
