package io.konduit.queue.autoconfigure;

import io.konduit.queue.error.ErrorMessages;
import io.konduit.queue.error.ErrorTexts;
import io.konduit.queue.handler.JobHandlerRegistry;
import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** How errors of handlers are reported. */
@Configuration(proxyBeanMethods = false)
class ErrorConfiguration {

    @Bean
    @ConditionalOnMissingBean
    ErrorTexts konduitErrorTexts(KonduitQueueProperties properties, JobHandlerRegistry handlers, BeanFactory beans) {
        return new ErrorTexts(messages(properties.errors()), () -> applicationPackages(handlers, beans));
    }

    private static ErrorMessages messages(KonduitQueueProperties.Errors errors) {
        return switch (errors.messages()) {
            case NEVER -> ErrorMessages.NEVER;
            case STORE -> ErrorMessages.STORE;
            case LOG -> ErrorMessages.LOG;
        };
    }

    /** The packages of the application and of its handlers. */
    private static Set<String> applicationPackages(JobHandlerRegistry handlers, BeanFactory beans) {
        Set<String> packages = new LinkedHashSet<>();
        if (AutoConfigurationPackages.has(beans)) {
            packages.addAll(AutoConfigurationPackages.get(beans));
        }
        handlers.all()
                .forEach(handler ->
                        packages.add(handler.method().getDeclaringClass().getPackageName()));
        return packages;
    }
}
