package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.admin.PayloadRedaction;
import io.konduit.queue.admin.TaskContent;
import io.konduit.queue.settings.PropertyNames;
import java.util.Collection;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Decides which callers see payloads, checkpoints and error messages, and applies the application's redaction. */
final class Disclosure {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS, DeserializationFeature.USE_BIG_INTEGER_FOR_INTS)
            .build();

    private final Show show;
    private final Collection<String> roles;
    private final List<PayloadRedaction> redactions;
    private final String property;

    Disclosure(Show show, Collection<String> roles, List<PayloadRedaction> redactions) {
        this(show, roles, redactions, PropertyNames.ENDPOINT_SHOW_PAYLOADS);
    }

    /** @param property the one that says who sees payloads */
    Disclosure(Show show, Collection<String> roles, List<PayloadRedaction> redactions, String property) {
        this.show = show;
        this.roles = List.copyOf(roles);
        this.redactions = List.copyOf(redactions);
        this.property = property;
    }

    String notAllowed() {
        return "Hidden from this caller: '" + property + "' says who sees payloads.";
    }

    boolean isFor(SecurityContext caller) {
        return show.isShown(caller, roles);
    }

    /** Whether unauthenticated callers, such as JMX, see them. */
    boolean isForAnybody() {
        return show.isShown(false);
    }

    /** A text of the task, or why it is not shown. */
    private record Shown(@Nullable String text, @Nullable String reason) {}

    ContentView content(String type, TaskContent found, String whenTooLarge) {
        Part payload = part(type, found.payload());
        Part checkpoint = part(type, found.checkpoint());
        String note = payload.note() != null ? payload.note() : checkpoint.note();
        return new ContentView(payload.value(), checkpoint.value(), found.tooLarge() ? whenTooLarge : note);
    }

    /** The message of an error; null when there is none or it is hidden. */
    @Nullable
    String message(String type, @Nullable String message) {
        if (message == null) {
            return null;
        }
        return redacted(message, (redaction, text) -> redaction.redactMessage(type, text))
                .text();
    }

    private record Part(@Nullable Object value, @Nullable String note) {}

    private Part part(String type, @Nullable String json) {
        if (json == null) {
            return new Part(null, null);
        }
        Shown shown = redacted(json, (redaction, text) -> redaction.redact(type, text));
        if (shown.text() == null) {
            return new Part(null, shown.reason());
        }
        try {
            return new Part(JSON.readValue(shown.text(), Object.class), null);
        } catch (JacksonException e) {
            return new Part(null, "Hidden: the PayloadRedaction of the application returned text that is not JSON.");
        }
    }

    /** Whatever the application's redaction does, nothing is shown by accident. */
    private Shown redacted(String text, BiFunction<PayloadRedaction, String, @Nullable String> step) {
        String left = text;
        for (PayloadRedaction redaction : redactions) {
            try {
                left = step.apply(redaction, left);
            } catch (RuntimeException | Error e) {
                return new Shown(
                        null,
                        "Hidden: the PayloadRedaction of the application failed with "
                                + e.getClass().getName() + ".");
            }
            if (left == null) {
                return new Shown(null, "Hidden by the PayloadRedaction of the application.");
            }
        }
        return new Shown(left, null);
    }
}
