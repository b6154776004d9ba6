package io.konduit.queue.autoconfigure.dashboard;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.springframework.http.HttpHeaders;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * What is served where. Each request passes {@link DashboardAccess}, and each answer carries the headers of {@link
 * DashboardHeaders}. Answers are written as bytes, so that the application's message converters do not matter.
 */
final class DashboardRoutes {
    private static final String JSON = "application/json";
    private static final String PROBLEM = "application/problem+json";

    private final DashboardPath path;
    private final DashboardAccess access;
    private final DashboardApi api;
    private final DashboardAssets assets = new DashboardAssets();

    DashboardRoutes(DashboardPath path, DashboardAccess access, DashboardApi api) {
        this.path = path;
        this.access = access;
        this.api = api;
    }

    RouterFunction<ServerResponse> routes() {
        String base = path.value();
        return RouterFunctions.route()
                .GET(base, request -> redirect())
                .GET(base + "/", ifAllowed(request -> page(request, DashboardAssets.PAGE)))
                .GET(base + "/assets/{name}", ifAllowed(request -> page(request, request.pathVariable("name"))))
                .GET(base + "/api/{name}", ifAllowed(request -> json(api.read(request))))
                .POST(base + "/api/{name}", ifAllowed(request -> json(api.write(request))))
                .build();
    }

    /** The pages name everything relative to themselves, so they need the slash. */
    private ServerResponse redirect() {
        return ServerResponse.status(302)
                .header(HttpHeaders.LOCATION, path.lastPart() + "/")
                .header(HttpHeaders.CACHE_CONTROL, "no-store")
                .build();
    }

    private HandlerFunction<ServerResponse> ifAllowed(HandlerFunction<ServerResponse> handler) {
        return request -> {
            DashboardAccess.Refusal refusal = access.toRead(request.servletRequest());
            if (refusal == null) {
                return handler.handle(request);
            }
            boolean forProgram = request.path().contains("/api/");
            return forProgram
                    ? json(DashboardApi.Answer.refused(refusal))
                    : write(
                            refusal.status(),
                            "text/plain;charset=UTF-8",
                            refusal.detail().getBytes(StandardCharsets.UTF_8));
        };
    }

    private ServerResponse page(ServerRequest request, String name) {
        DashboardAssets.Asset asset = assets.find(name);
        if (asset == null) {
            return write(404, "text/plain;charset=UTF-8", "Not found.".getBytes(StandardCharsets.UTF_8));
        }
        boolean known = asset.etag().equals(request.servletRequest().getHeader(HttpHeaders.IF_NONE_MATCH));
        return ServerResponse.status(known ? 304 : 200)
                .headers(DashboardHeaders::add)
                .header(HttpHeaders.CACHE_CONTROL, "private, no-cache")
                .header(HttpHeaders.ETAG, asset.etag())
                .header(HttpHeaders.CONTENT_TYPE, asset.contentType())
                .build((servletRequest, response) -> {
                    if (!known) {
                        send(response, asset.bytes());
                    }
                    return null;
                });
    }

    private static ServerResponse json(DashboardApi.Answer answer) {
        return write(answer.status(), answer.status() < 400 ? JSON : PROBLEM, DashboardJson.bytes(answer.body()));
    }

    private static ServerResponse write(int status, String contentType, byte[] bytes) {
        return ServerResponse.status(status)
                .headers(DashboardHeaders::add)
                .header(HttpHeaders.CACHE_CONTROL, "no-store")
                .header(HttpHeaders.CONTENT_TYPE, contentType)
                .build((request, response) -> {
                    send(response, bytes);
                    return null;
                });
    }

    private static void send(HttpServletResponse response, byte[] bytes) throws IOException {
        response.setContentLength(bytes.length);
        response.getOutputStream().write(bytes);
    }
}
