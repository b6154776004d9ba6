package io.konduit.queue.autoconfigure.dashboard;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.util.DigestUtils;

/** The static files. They are listed, so that nothing else of the class path can be asked for. */
final class DashboardAssets {
    static final String PAGE = "index.html";

    static final List<String> NAMES = List.of(
            PAGE,
            "style.css",
            "icon.svg",
            "app.js",
            "api.js",
            "dom.js",
            "format.js",
            "charts.js",
            "dialogs.js",
            "parts.js",
            "overview.js",
            "review.js",
            "tasks.js",
            "task.js",
            "queues.js",
            "workers.js",
            "incidents.js",
            "audit.js");

    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html;charset=UTF-8",
            "css", "text/css;charset=UTF-8",
            "js", "text/javascript;charset=UTF-8",
            "svg", "image/svg+xml");

    private final Map<String, Asset> read = new ConcurrentHashMap<>();

    record Asset(String contentType, String etag, byte[] bytes) {}

    @Nullable
    Asset find(String name) {
        return NAMES.contains(name) ? read.computeIfAbsent(name, DashboardAssets::load) : null;
    }

    static Asset load(String name) {
        try (InputStream in = DashboardAssets.class.getResourceAsStream("/io/konduit/queue/dashboard/" + name)) {
            if (in == null) {
                throw new IllegalStateException("The file " + name + " of the dashboard is not in the jar.");
            }
            byte[] bytes = in.readAllBytes();
            return new Asset(
                    TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "application/octet-stream"),
                    '"' + DigestUtils.md5DigestAsHex(bytes) + '"',
                    bytes);
        } catch (IOException e) {
            throw new UncheckedIOException("The file " + name + " of the dashboard cannot be read.", e);
        }
    }
}
