package io.konduit.queue.autoconfigure.metrics;

import io.konduit.queue.autoconfigure.KonduitQueueAutoConfiguration;
import io.konduit.queue.metrics.ErrorTagFilter;
import io.konduit.queue.metrics.QueueMetrics;
import io.konduit.queue.settings.PropertyNames;
import io.micrometer.core.instrument.MeterRegistry;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** The counters and timers of the queue, when the application has a meter registry. */
@AutoConfiguration(
        before = KonduitQueueAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({MeterRegistry.class, DataSource.class})
@ConditionalOnProperty(name = PropertyNames.ENABLED, matchIfMissing = true)
public final class KonduitQueueMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    QueueMetrics konduitQueueMetrics(MeterRegistry registry) {
        return new QueueMetrics(registry);
    }

    @Bean
    @ConditionalOnMissingBean
    static ErrorTagFilter konduitErrorTagFilter() {
        return new ErrorTagFilter();
    }
}
