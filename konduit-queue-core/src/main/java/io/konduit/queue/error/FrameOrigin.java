package io.konduit.queue.error;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Distinguishes frames of the application from those of frameworks, generated classes and the queue itself. */
final class FrameOrigin {
    /** Not every package below the root: an application may live there too. */
    static final Set<String> OWN_PACKAGES = Set.of(
            "io.konduit.queue",
            "io.konduit.queue.admin",
            "io.konduit.queue.aot",
            "io.konduit.queue.autoconfigure",
            "io.konduit.queue.autoconfigure.dashboard",
            "io.konduit.queue.autoconfigure.diagnostics",
            "io.konduit.queue.autoconfigure.endpoint",
            "io.konduit.queue.autoconfigure.health",
            "io.konduit.queue.autoconfigure.metrics",
            "io.konduit.queue.engine",
            "io.konduit.queue.enqueue",
            "io.konduit.queue.error",
            "io.konduit.queue.event",
            "io.konduit.queue.failover",
            "io.konduit.queue.handler",
            "io.konduit.queue.insert",
            "io.konduit.queue.jdbc",
            "io.konduit.queue.leader",
            "io.konduit.queue.log",
            "io.konduit.queue.metrics",
            "io.konduit.queue.observation",
            "io.konduit.queue.operations",
            "io.konduit.queue.publish",
            "io.konduit.queue.recovery",
            "io.konduit.queue.retention",
            "io.konduit.queue.review",
            "io.konduit.queue.schedule",
            "io.konduit.queue.schema",
            "io.konduit.queue.settings",
            "io.konduit.queue.store",
            "io.konduit.queue.testing",
            "io.konduit.queue.thread",
            "io.konduit.queue.worker");

    private static final Pattern GENERATED =
            Pattern.compile("\\$\\$(?:SpringCGLIB|EnhancerBy|FastClass|Lambda)|\\$Proxy\\d|\\$HibernateProxy\\$");

    private static final Map<String, String> LIBRARIES = libraries();

    private final Collection<String> applicationPackages;

    /** @param applicationPackages packages, with their subpackages, that are known to belong to the application */
    FrameOrigin(Collection<String> applicationPackages) {
        this.applicationPackages = applicationPackages;
    }

    /** The origin of the frame; null for the application's. */
    @Nullable
    String library(StackTraceElement frame) {
        String type = frame.getClassName();
        if (GENERATED.matcher(type).find()) {
            return "proxies";
        }
        String home = packageOf(type);
        for (String known : applicationPackages) {
            if (home.equals(known) || home.startsWith(known + ".")) {
                return null;
            }
        }
        if (OWN_PACKAGES.contains(home)) {
            return "konduit-queue";
        }
        for (Map.Entry<String, String> library : LIBRARIES.entrySet()) {
            if (type.startsWith(library.getKey())) {
                return library.getValue();
            }
        }
        return null;
    }

    static String packageOf(String type) {
        int end = type.lastIndexOf('.');
        return end < 0 ? "" : type.substring(0, end);
    }

    private static Map<String, String> libraries() {
        Map<String, String> names = new LinkedHashMap<>();
        for (String jdk : new String[] {"java.", "javax.", "jdk.", "sun.", "com.sun."}) {
            names.put(jdk, "the JDK");
        }
        names.put("org.springframework.", "Spring");
        names.put("jakarta.", "Jakarta");
        names.put("com.zaxxer.hikari.", "HikariCP");
        names.put("org.postgresql.", "the PostgreSQL driver");
        names.put("org.hibernate.", "Hibernate");
        names.put("tools.jackson.", "Jackson");
        names.put("com.fasterxml.jackson.", "Jackson");
        names.put("io.micrometer.", "Micrometer");
        names.put("io.opentelemetry.", "OpenTelemetry");
        names.put("reactor.", "Reactor");
        names.put("io.netty.", "Netty");
        names.put("org.apache.", "Apache libraries");
        names.put("org.aspectj.", "AspectJ");
        names.put("net.bytebuddy.", "proxies");
        names.put("org.jooq.", "jOOQ");
        names.put("kotlin.", "Kotlin");
        names.put("kotlinx.", "Kotlin");
        return names;
    }
}
