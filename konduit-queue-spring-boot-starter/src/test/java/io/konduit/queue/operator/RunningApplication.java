package io.konduit.queue.operator;

import io.konduit.queue.test.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A web application with the starter, started on a free port of this machine, and a caller of it. */
final class RunningApplication implements AutoCloseable {
    static final String ENDPOINT = "/actuator/konduitqueue";

    /** On the class path for other tests. */
    private static final String JPA = "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
            + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration";

    private static final List<String> SECURITY = List.of(
            "org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration");

    private final HttpClient client = HttpClient.newHttpClient();
    private final ConfigurableApplicationContext context;
    private final String address;

    private RunningApplication(ConfigurableApplicationContext context) {
        this.context = context;
        this.address = "http://localhost:"
                + ((WebServerApplicationContext) context).getWebServer().getPort();
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {}

    /** Without Spring Security, as if it were not there. */
    static RunningApplication start(TestDatabase database, List<Class<?>> sources, String... properties) {
        return start(database, sources, SECURITY, properties);
    }

    /** With Spring Security; the sources say who may do what. */
    static RunningApplication startSecured(TestDatabase database, List<Class<?>> sources, String... properties) {
        return start(database, sources, List.of(), properties);
    }

    static RunningApplication startWithout(
            TestDatabase database, List<String> autoConfigurations, String... properties) {
        List<String> all = new ArrayList<>(SECURITY);
        all.addAll(autoConfigurations);
        return start(database, List.of(), all, properties);
    }

    private static RunningApplication start(
            TestDatabase database, List<Class<?>> sources, List<String> excluded, String... properties) {
        List<Class<?>> all = new ArrayList<>(sources);
        all.add(Application.class);
        Map<String, String> settings = new LinkedHashMap<>();
        List<String> defaults = List.of(
                "server.port=0",
                "spring.datasource.url=" + database.jdbcUrl(),
                "spring.flyway.enabled=false",
                "spring.main.banner-mode=off",
                "logging.level.root=warn",
                "konduit.queue.worker.poll-interval=200ms",
                "spring.autoconfigure.exclude=" + JPA + (excluded.isEmpty() ? "" : ",") + String.join(",", excluded));
        Stream.concat(defaults.stream(), Arrays.stream(properties)).forEach(property -> {
            int at = property.indexOf('=');
            settings.put(property.substring(0, at), property.substring(at + 1));
        });
        List<String> arguments = new ArrayList<>();
        settings.forEach((name, value) -> arguments.add("--" + name + "=" + value));
        return new RunningApplication(new SpringApplicationBuilder(all.toArray(Class[]::new))
                .web(WebApplicationType.SERVLET)
                .run(arguments.toArray(String[]::new)));
    }

    int port() {
        return ((WebServerApplicationContext) context).getWebServer().getPort();
    }

    ConfigurableApplicationContext context() {
        return context;
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** What came back. */
    record Answer(int status, String contentType, String text) {
        JsonNode json() {
            return JsonMapper.shared().readTree(text);
        }

        String detail() {
            return json().path("detail").asString();
        }
    }

    Answer get(String path) {
        return send(request(path).GET());
    }

    Answer getAs(String user, String path) {
        return send(request(path).header("Authorization", basic(user)).GET());
    }

    Answer post(String path, String json) {
        return send(body(path, json));
    }

    Answer postAs(String user, String path, String json) {
        return send(body(path, json).header("Authorization", basic(user)));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(address + path));
    }

    private HttpRequest.Builder body(String path, String json) {
        return request(path).header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(json));
    }

    private static String basic(String user) {
        String both = user + ":" + user;
        return "Basic " + Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.UTF_8));
    }

    private Answer send(HttpRequest.Builder request) {
        try {
            HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return new Answer(
                    response.statusCode(),
                    response.headers().firstValue("Content-Type").orElse(""),
                    response.body());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
