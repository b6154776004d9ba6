package io.konduit.queue.autoconfigure.dashboard;

import io.konduit.queue.Schedules;
import io.konduit.queue.admin.PayloadRedaction;
import io.konduit.queue.admin.QueueAdministration;
import io.konduit.queue.admin.QueueInspection;
import io.konduit.queue.admin.TaskAdministration;
import io.konduit.queue.admin.WorkerAdministration;
import io.konduit.queue.autoconfigure.KonduitQueueAutoConfiguration;
import io.konduit.queue.autoconfigure.KonduitQueueProperties;
import io.konduit.queue.autoconfigure.endpoint.OperatorApi;
import io.konduit.queue.settings.PropertyNames;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletPath;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * The dashboard, when the application enables it. Where it cannot be served, the start fails: whoever enabled it would look for it
 * in vain. An application without a web server is left alone: it often shares its settings with one that has.
 */
@AutoConfiguration(after = KonduitQueueAutoConfiguration.class)
@ConditionalOnBooleanProperty(PropertyNames.DASHBOARD_ENABLED)
@ConditionalOnBean({QueueInspection.class, TaskAdministration.class})
public final class KonduitQueueDashboardAutoConfiguration {
    private static final String DISPATCHER = "org.springframework.web.servlet.DispatcherServlet";
    private static final String ACTUATOR = "org.springframework.boot.actuate.endpoint.OperationResponseBody";
    private static final String LEAVE_IT = " Or set '" + PropertyNames.DASHBOARD_ENABLED + "' to false.";

    private static SmartInitializingSingleton refuse(String message, String action) {
        throw new DashboardNotAvailableException(message, action + LEAVE_IT);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    static class Reactive {
        @Bean
        @ConditionalOnMissingBean(name = "konduitQueueDashboardUnavailable")
        SmartInitializingSingleton konduitQueueDashboardUnavailable() {
            return refuse(
                    "The dashboard is enabled, but this is a WebFlux application: the dashboard needs Spring MVC.",
                    "Enable it in an application with 'spring-boot-starter-webmvc' on the same database: any such application shows all tasks and workers.");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnMissingClass(DISPATCHER)
    static class WithoutMvc {
        @Bean
        @ConditionalOnMissingBean(name = "konduitQueueDashboardUnavailable")
        SmartInitializingSingleton konduitQueueDashboardUnavailable() {
            return refuse(
                    "The dashboard is enabled, but Spring MVC is not on the class path.",
                    "Add 'spring-boot-starter-webmvc'.");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnMissingClass(ACTUATOR)
    static class WithoutActuator {
        @Bean
        @ConditionalOnMissingBean(name = "konduitQueueDashboardUnavailable")
        SmartInitializingSingleton konduitQueueDashboardUnavailable() {
            return refuse(
                    "The dashboard is enabled, but Spring Boot Actuator is not on the class path: the dashboard uses the operations of the endpoint.",
                    "Add 'spring-boot-starter-actuator'. The endpoint need not be exposed.");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(name = {DISPATCHER, ACTUATOR})
    static class Served {

        @Bean
        @ConditionalOnMissingBean(name = "konduitQueueDashboard")
        RouterFunction<ServerResponse> konduitQueueDashboard(
                QueueInspection inspection,
                TaskAdministration tasks,
                QueueAdministration queues,
                WorkerAdministration workers,
                Schedules schedules,
                KonduitQueueProperties properties,
                ObjectProvider<PayloadRedaction> redactions) {
            DashboardPath path = DashboardPath.of(properties.dashboard().path());
            OperatorApi operations = new OperatorApi(
                    inspection,
                    tasks,
                    queues,
                    workers,
                    schedules,
                    redactions.orderedStream().toList(),
                    PropertyNames.DASHBOARD_SHOW_PAYLOADS);
            DashboardAccess access = new DashboardAccess(properties.dashboard());
            DashboardReads reads =
                    new DashboardReads(inspection, operations, properties.reaperInterval(), System::nanoTime);
            return new DashboardRoutes(path, access, new DashboardApi(access, operations, reads)).routes();
        }

        /** At the end of the start, when the application's filter chains are there. */
        @Bean
        @ConditionalOnMissingBean(name = "konduitQueueDashboardSecurityCheck")
        SmartInitializingSingleton konduitQueueDashboardSecurityCheck(
                ApplicationContext context,
                KonduitQueueProperties properties,
                ObjectProvider<DispatcherServletPath> dispatcher) {
            KonduitQueueProperties.Dashboard dashboard = properties.dashboard();
            return () -> {
                if (!dashboard.insecure()) {
                    String path = DashboardPath.of(dashboard.path()).value();
                    DispatcherServletPath servlet = dispatcher.getIfAvailable();
                    DashboardSecurity.require(context, servlet == null ? path : servlet.getRelativePath(path));
                }
            };
        }
    }
}
