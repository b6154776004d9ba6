package io.konduit.queue.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.konduit.queue.test.ShellCommands;
import io.konduit.queue.test.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** The calls that {@code docs/operating.md} gives for applications with Spring Security, run with a real curl. */
@Tag("O2")
class SecuredCurlTests {
    private static TestDatabase database;
    private static Rows rows;
    private static List<String> calls;

    /** Word for word as the page has it. */
    @Configuration(proxyBeanMethods = false)
    static class WithoutCsrf {
        @Bean
        SecurityFilterChain endpoints(HttpSecurity http) throws Exception {
            return http.securityMatcher(EndpointRequest.toAnyEndpoint())
                    .authorizeHttpRequests(requests -> requests.anyRequest().hasRole("OPERATOR"))
                    .httpBasic(Customizer.withDefaults())
                    .csrf(csrf -> csrf.disable())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return operators();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithCsrf {
        @Bean
        SecurityFilterChain everything(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().hasRole("OPERATOR"))
                    .httpBasic(Customizer.withDefaults())
                    .csrf(csrf -> csrf.spa())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return operators();
        }
    }

    private static UserDetailsService operators() {
        return new InMemoryUserDetailsManager(User.withUsername("ada")
                .password("{noop}secret")
                .roles("OPERATOR")
                .build());
    }

    @BeforeAll
    static void prepare() {
        assumeThat(ShellCommands.areAvailable()).as("sh and curl").isTrue();
        database = TestDatabase.create();
        rows = new Rows(database);
        calls = Docs.blocks("sh", Docs.section("operating.md", "### Calling it with Spring Security"));
    }

    @AfterAll
    static void dropDatabase() {
        if (database != null) {
            database.close();
        }
    }

    @Test
    void thePageHasBothWaysAndTheConfigurationOfThisTest() {
        assertThat(calls).hasSize(2);
        String chain = Docs.blocks("java", Docs.section("operating.md", "### Calling it with Spring Security"))
                .get(0);
        assertThat(chain).contains(".csrf(csrf -> csrf.disable())", "EndpointRequest.toAnyEndpoint()");
    }

    @Test
    void basicCredentialsAreEnoughWhereTheEndpointsAreExemptFromCsrf() {
        try (RunningApplication application = start(WithoutCsrf.class)) {
            ShellCommands.run(calls.get(0), application.port());
            assertPaused();
        }
    }

    @Test
    void withCsrfTheTokenOfTheCookieIsSentBack() {
        try (RunningApplication application = start(WithCsrf.class)) {
            assertThatThrownBy(() -> ShellCommands.run(calls.get(0), application.port()))
                    .as("without the token")
                    .hasMessageContaining("The requested URL returned error: 40");
            assertThat(rows.jdbc().sql("select 1 from konduit_queue").query().listOfRows())
                    .isEmpty();
            ShellCommands.run(calls.get(1), application.port());
            assertPaused();
        }
    }

    private static RunningApplication start(Class<?> security) {
        RunningApplication application = RunningApplication.startSecured(
                database,
                List.of(security),
                "management.endpoints.web.exposure.include=konduitqueue",
                "konduit.queue.endpoint.allow-writes=true",
                "konduit.queue.worker.enabled=false");
        rows.clear();
        rows.worker("any", "default");
        return application;
    }

    private static void assertPaused() {
        assertThat(rows.jdbc()
                        .sql("select name || ' ' || paused_by || ' ' || note from konduit_queue")
                        .query(String.class)
                        .list())
                .containsExactly("default ada provider is down");
    }
}
