package io.konduit.queue.autoconfigure.dashboard;

import io.konduit.queue.autoconfigure.KonduitQueueProperties;
import io.konduit.queue.settings.PropertyNames;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** B2: who may see the dashboard, change something, and see payloads. Asked with each request, whatever the filters let pass. */
final class DashboardAccess {
    private static final String NOBODY = "anonymous";

    private final KonduitQueueProperties.Dashboard settings;

    DashboardAccess(KonduitQueueProperties.Dashboard settings) {
        this.settings = settings;
    }

    /** Why a request is refused. */
    record Refusal(int status, String title, String detail) {}

    /** Null if this caller may see the dashboard. */
    @Nullable
    Refusal toRead(HttpServletRequest request) {
        if (request.getUserPrincipal() == null && !settings.insecure()) {
            return new Refusal(
                    401, "Sign in", "Expected a signed-in user, but found none. Sign in to the application first.");
        }
        if (!hasOneOf(request, settings.readRoles())) {
            return new Refusal(
                    403,
                    "Not allowed",
                    "User '" + actor(request) + "' has none of the roles in '" + PropertyNames.DASHBOARD_READ_ROLES
                            + "'. Ask the people who run this application for one of them.");
        }
        return null;
    }

    /** Null if this caller, who may see the dashboard, may change something. */
    @Nullable
    Refusal toWrite(HttpServletRequest request) {
        if (!settings.allowWrites()) {
            return new Refusal(
                    403,
                    "Read-only",
                    "Expected '" + PropertyNames.DASHBOARD_ALLOW_WRITES
                            + "' to be true, but it is false. Nothing was changed.");
        }
        if (!hasOneOf(request, settings.writeRoles())) {
            return new Refusal(
                    403,
                    "Not allowed",
                    "User '" + actor(request) + "' has none of the roles in '" + PropertyNames.DASHBOARD_WRITE_ROLES
                            + "'. Nothing was changed.");
        }
        return null;
    }

    boolean seesPayloads(HttpServletRequest request) {
        return switch (settings.showPayloads()) {
            case NEVER -> false;
            case WHEN_AUTHORIZED -> request.getUserPrincipal() != null && hasOneOf(request, settings.payloadRoles());
            case ALWAYS -> true;
        };
    }

    String actor(HttpServletRequest request) {
        Principal user = request.getUserPrincipal();
        return user == null ? NOBODY : user.getName();
    }

    private static boolean hasOneOf(HttpServletRequest request, Set<String> roles) {
        return roles.isEmpty() || roles.stream().anyMatch(request::isUserInRole);
    }
}
