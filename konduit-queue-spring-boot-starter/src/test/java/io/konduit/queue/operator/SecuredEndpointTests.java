package io.konduit.queue.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.web.SecurityFilterChain;

/** The endpoint under the application's own Spring Security. */
@Tag("O2")
class SecuredEndpointTests {
    private static final String ENDPOINT = RunningApplication.ENDPOINT;

    @RegisterExtension
    static final OperatedApplication operated = OperatedApplication.secured(
            List.of(Security.class),
            "management.endpoints.web.exposure.include=konduitqueue",
            "konduit.queue.endpoint.allow-writes=true",
            "konduit.queue.worker.enabled=false");

    private final RunningApplication application = operated.application();
    private final Rows rows = operated.rows();

    @Configuration(proxyBeanMethods = false)
    static class Security {
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
            return OperatedApplication.adaAndGuest("OPERATOR");
        }
    }

    @Test
    void nobodyGetsInWithoutTheApplicationsLeave() {
        long id = rows.held("pay");
        List<String> before = rows.everything();
        assertThat(application.get(ENDPOINT).status()).isEqualTo(401);
        assertThat(application.getAs("guest", ENDPOINT).status()).isEqualTo(403);
        assertThat(application
                        .postAs("guest", ENDPOINT + "/tasks/" + id + "/release", "{}")
                        .status())
                .isEqualTo(403);
        assertThat(rows.everything()).isEqualTo(before);
    }

    @Test
    void aDecisionCarriesTheAuthenticatedUser() {
        long id = rows.held("pay");
        assertThat(application
                        .postAs("ada", ENDPOINT + "/tasks/" + id + "/release", "{\"actor\": \"somebody-else\"}")
                        .status())
                .as("nobody names another actor")
                .isEqualTo(400);
        var after = application
                .postAs("ada", ENDPOINT + "/tasks/" + id + "/release", "{\"note\": \"checked\"}")
                .json();
        assertThat(after.path("incidents").path(0).path("actor").asString()).isEqualTo("ada");
        assertThat(rows.jdbc()
                        .sql("select actor from konduit_task_incident where action = 'RELEASED'")
                        .query(String.class)
                        .list())
                .containsExactly("ada");
    }

    @Test
    void pausesAndReclaimsCarryTheAuthenticatedUser() {
        long id = rows.running("mail", java.util.UUID.randomUUID(), "-9 s");
        // nothing is taken back while the server has only just come up
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            application.postAs("ada", ENDPOINT + "/reclaim", "{\"dryRun\": \"false\"}");
            return rows.status(id).equals("PENDING");
        });
        application.postAs("ada", ENDPOINT + "/queues/parked/pause", "{}");
        assertThat(rows.jdbc()
                        .sql("select actor from konduit_task_incident union all select actor from konduit_queue_audit"
                                + " union all select paused_by from konduit_queue")
                        .query(String.class)
                        .list())
                .containsExactly("ada", "ada", "ada");
    }
}
