package io.konduit.queue.autoconfigure.dashboard;

import io.konduit.queue.InvalidSettingsException;
import io.konduit.queue.settings.PropertyNames;
import java.util.regex.Pattern;

/** Where the dashboard is served: {@code /konduit}, without a slash at its end. */
record DashboardPath(String value) {
    private static final Pattern PLAIN = Pattern.compile("(/[A-Za-z0-9._~-]+)+");

    static DashboardPath of(String property) {
        String path = property.endsWith("/") ? property.substring(0, property.length() - 1) : property;
        if (!PLAIN.matcher(path).matches() || path.contains("..")) {
            throw new InvalidSettingsException("'" + PropertyNames.DASHBOARD_PATH
                    + "' must be a path such as '/konduit' (letters, digits, '.', '_', '~' and '-' between slashes) but is '"
                    + property + "'.");
        }
        return new DashboardPath(path);
    }

    /** The part after the last slash: a redirect to it plus a slash is right behind any proxy and context path. */
    String lastPart() {
        return value.substring(value.lastIndexOf('/') + 1);
    }
}
