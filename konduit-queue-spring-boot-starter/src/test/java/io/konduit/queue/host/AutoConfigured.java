package io.konduit.queue.host;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.Configurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DeferredImportSelector;
import org.springframework.context.annotation.Import;
import org.springframework.core.type.AnnotationMetadata;

/** As Spring Boot sets an application up: by the names of auto-configurations, whose classes need not all load. */
@Configuration(proxyBeanMethods = false)
@Import(AutoConfigured.ByName.class)
public class AutoConfigured {
    static class ByName implements DeferredImportSelector {
        @Override
        public String[] selectImports(AnnotationMetadata importing) {
            List<Class<?>> all = new ArrayList<>(List.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    JacksonAutoConfiguration.class));
            all.addAll(List.of(HostApplication.starter()));
            return Arrays.stream(Configurations.getClasses(AutoConfigurations.of(all.toArray(Class[]::new))))
                    .map(Class::getName)
                    .toArray(String[]::new);
        }
    }
}
