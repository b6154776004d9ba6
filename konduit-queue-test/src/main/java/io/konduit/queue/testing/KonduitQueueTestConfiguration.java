package io.konduit.queue.testing;

import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/**
 * What {@link KonduitQueueTest} adds to the application: a {@link ManualWorker}, {@link EnqueuedTasks}, and data sources that
 * can be watched.
 */
@Configuration(proxyBeanMethods = false)
public class KonduitQueueTestConfiguration {

    @Bean
    static WatchedDataSources konduitWatchedDataSources() {
        return new WatchedDataSources();
    }

    @Bean
    @Lazy
    ManualWorker konduitManualWorker(ApplicationContext context) {
        return ManualWorker.in(context);
    }

    @Bean
    @Lazy
    EnqueuedTasks konduitEnqueuedTasks(ApplicationContext context) {
        return EnqueuedTasks.in(context);
    }
}
