package io.konduit.queue.autoconfigure.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.host.HostApplication;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.core.NestedExceptionUtils;

/** B2: where the dashboard cannot be served, the start says so. */
@Tag("B2")
class DashboardStartTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    @Test
    void saysThatWebFluxHasNoDashboard() {
        assertThat(failure(new ReactiveWebApplicationContextRunner()))
                .hasMessage(
                        "The dashboard is enabled, but this is a WebFlux application: the dashboard needs Spring MVC.");
    }

    @Test
    void saysThatSpringMvcIsMissing() {
        assertThat(failure(new WebApplicationContextRunner()
                        .withClassLoader(new FilteredClassLoader("org.springframework.web.servlet"))))
                .hasMessage("The dashboard is enabled, but Spring MVC is not on the class path.");
    }

    @Test
    void saysThatActuatorIsMissing() {
        assertThat(failure(new WebApplicationContextRunner()
                        .withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))))
                .hasMessageStartingWith("The dashboard is enabled, but Spring Boot Actuator is not on the class path");
    }

    @Test
    void saysThatSpringSecurityIsMissing() {
        assertThat(failure(new WebApplicationContextRunner()
                        .withClassLoader(new FilteredClassLoader("org.springframework.security"))))
                .hasMessageStartingWith("The dashboard is enabled, but Spring Security is not on the class path");
    }

    @ParameterizedTest
    @ValueSource(strings = {"konduit", "/", "", "/a//b", "/a/**", "/a b", "/../a"})
    void refusesAPathThatIsNone(String path) {
        assertThat(failure(new WebApplicationContextRunner()
                        .withPropertyValues(
                                "konduit.queue.dashboard.insecure=true", "konduit.queue.dashboard.path=" + path)))
                .hasMessageStartingWith("'konduit.queue.dashboard.path' must be a path such as '/konduit'");
    }

    /** A worker process often has the settings of the web application beside it. */
    @Test
    void leavesAnApplicationWithoutWebServerAlone() {
        host.plainJdbc()
                .withPropertyValues("konduit.queue.dashboard.enabled=true")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("konduitQueueDashboard"));
    }

    @Test
    void needsNoneOfItUnlessEnabled() {
        configured(new WebApplicationContextRunner()
                        .withClassLoader(new FilteredClassLoader(
                                "org.springframework.security",
                                "org.springframework.boot.actuate",
                                "org.springframework.boot.webmvc",
                                "org.springframework.web.servlet")))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("konduitQueueDashboard"));
    }

    private static Throwable failure(AbstractApplicationContextRunner<?, ?, ?> runner) {
        Throwable[] failure = new Throwable[1];
        configured(runner.withPropertyValues("konduit.queue.dashboard.enabled=true"))
                .run(context -> {
                    assertThat(((org.springframework.boot.test.context.assertj.ApplicationContextAssertProvider<?>)
                                            context)
                                    .getStartupFailure())
                            .isNotNull();
                    failure[0] = NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure());
                });
        return failure[0];
    }

    private static AbstractApplicationContextRunner<?, ?, ?> configured(
            AbstractApplicationContextRunner<?, ?, ?> runner) {
        return runner.withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        JacksonAutoConfiguration.class))
                .withConfiguration(AutoConfigurations.of(HostApplication.starter()))
                .withPropertyValues(
                        "spring.datasource.url=" + host.database().jdbcUrl(), "konduit.queue.worker.enabled=false");
    }
}
