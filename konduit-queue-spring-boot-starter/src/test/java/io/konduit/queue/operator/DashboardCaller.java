package io.konduit.queue.operator;

import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls the dashboard as its pages do: with cookies, the token against forged requests, and the header of the pages. */
final class DashboardCaller {
    private final HttpClient client =
            HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
    private final String address;
    private final @Nullable String user;

    DashboardCaller(int port, String path, @Nullable String user) {
        this.address = "http://localhost:" + port + path;
        this.user = user;
    }

    record Answer(HttpResponse<String> response) {
        int status() {
            return response.statusCode();
        }

        String text() {
            return response.body();
        }

        String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }

        JsonNode json() {
            return JsonMapper.shared().readTree(text());
        }
    }

    Answer get(String path) {
        return send(request(path).GET());
    }

    /** As the pages do. */
    Answer post(String name, Map<String, String> fields) {
        JsonNode token = get("/api/session").json().path("token");
        Map<String, String> all = new LinkedHashMap<>(fields);
        if (token.isObject()) {
            all.put(token.path("field").asString(), token.path("value").asString());
        }
        return postForm(name, all, true);
    }

    Answer postForm(String name, Map<String, String> fields, boolean withHeader) {
        String form = fields.entrySet().stream()
                .map(field -> encoded(field.getKey()) + "=" + encoded(field.getValue()))
                .collect(Collectors.joining("&"));
        HttpRequest.Builder request = request("/api/" + name)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form));
        if (withHeader) {
            request.header("X-Konduit-Dashboard", "1");
        }
        return send(request);
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + path));
        if (user != null) {
            String both = user + ":" + user;
            request.header(
                    "Authorization",
                    "Basic " + Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.UTF_8)));
        }
        return request;
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private Answer send(HttpRequest.Builder request) {
        try {
            return new Answer(client.send(request.build(), HttpResponse.BodyHandlers.ofString()));
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
