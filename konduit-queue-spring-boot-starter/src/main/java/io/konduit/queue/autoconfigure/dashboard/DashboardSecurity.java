package io.konduit.queue.autoconfigure.dashboard;

import io.konduit.queue.settings.PropertyNames;
import jakarta.servlet.Filter;
import java.util.List;
import org.springframework.context.ApplicationContext;
import org.springframework.security.web.FilterChainProxy;
import org.springframework.security.web.debug.DebugFilter;
import org.springframework.util.ClassUtils;

/** B2: whether the application's Spring Security covers the dashboard. */
final class DashboardSecurity {
    private static final String FILTER = "springSecurityFilterChain";
    private static final String FILTER_CLASS = "org.springframework.security.web.FilterChainProxy";
    private static final String OR_INSECURE = " On a developer's machine, set '" + PropertyNames.DASHBOARD_INSECURE
            + "' to true instead: everybody who can reach the application can then open the dashboard.";

    private DashboardSecurity() {}

    static void require(ApplicationContext context, String path) {
        if (!ClassUtils.isPresent(FILTER_CLASS, context.getClassLoader())) {
            throw new DashboardNotAvailableException(
                    "The dashboard is enabled, but Spring Security is not on the class path: everybody could open it.",
                    "Add 'spring-boot-starter-security'." + OR_INSECURE);
        }
        if (!context.containsBean(FILTER)) {
            throw new DashboardNotAvailableException(
                    "The dashboard is enabled, but Spring Security is not active: everybody could open it.",
                    "Let the application have a SecurityFilterChain that covers '" + path + "/**'." + OR_INSECURE);
        }
        if (!Chains.cover(context, path)) {
            throw new DashboardNotAvailableException(
                    "The dashboard is enabled, but no filter chain of Spring Security covers '" + path
                            + "': nobody could sign in, and there would be no protection against forged requests.",
                    "Let a SecurityFilterChain match '" + path
                            + "/**' and require a signed-in user there: see docs/dashboard.md." + OR_INSECURE);
        }
    }

    /** Loaded only if Spring Security is present. */
    private static final class Chains {

        static boolean cover(ApplicationContext context, String path) {
            Filter filter = context.getBean(FILTER, Filter.class);
            if (filter instanceof DebugFilter debug) {
                filter = debug.getFilterChainProxy();
            }
            if (!(filter instanceof FilterChainProxy chains)) {
                return true;
            }
            try {
                List<Filter> filters = chains.getFilters(path + "/");
                return filters != null && !filters.isEmpty();
            } catch (RuntimeException e) {
                // a matcher asked the probe for something that only a real request has; each request is checked anyway
                return true;
            }
        }
    }
}
