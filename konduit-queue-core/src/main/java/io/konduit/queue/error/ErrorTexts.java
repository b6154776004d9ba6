package io.konduit.queue.error;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Renders errors as text. Messages may quote payloads, so a setting decides where they appear. Messages that the queue
 * wrote itself and that quote nothing always appear. Rendering never fails, whatever an error's methods do.
 */
public final class ErrorTexts {
    private static final int MAX_MESSAGE = 1_000;
    private static final int MAX_MESSAGES = 4_000;
    private static final int MAX_SIMPLE = 100;

    private final ErrorMessages messages;
    private final Supplier<Collection<String>> applicationPackages;

    /** @param applicationPackages packages whose frames belong to the application, whatever else they look like */
    public ErrorTexts(ErrorMessages messages, Supplier<Collection<String>> applicationPackages) {
        this.messages = messages;
        this.applicationPackages = applicationPackages;
    }

    /** Without messages of the application. */
    public static ErrorTexts withoutMessages() {
        return new ErrorTexts(ErrorMessages.NEVER, List::of);
    }

    /** The class of the root cause. */
    public static String type(Throwable error) {
        return PlainText.line(Causes.root(error).getClass().getName(), MAX_MESSAGE);
    }

    /** A class without its package and outer classes, for metrics. */
    public static String simpleType(String type) {
        String name = type.substring(type.lastIndexOf('.') + 1);
        String inner = name.substring(name.lastIndexOf('$') + 1);
        // the class of a lambda or an anonymous class has a number as its name
        boolean named = !inner.isEmpty() && Character.isJavaIdentifierStart(inner.charAt(0));
        return PlainText.line(named ? inner : name, MAX_SIMPLE);
    }

    /** The stack of the root cause. */
    public static StackTraceElement[] rootFrames(Throwable error) {
        return Causes.frames(Causes.root(error));
    }

    /** The innermost frame of the application; null when there is none. */
    public @Nullable StackTraceElement ofApplication(List<StackTraceElement> frames) {
        FrameOrigin origin = new FrameOrigin(applicationPackages.get());
        return frames.stream()
                .filter(frame -> origin.library(frame) == null)
                .findFirst()
                .orElse(null);
    }

    /** For the log: the root cause comes first. */
    public String forLog(Throwable error) {
        return messages == ErrorMessages.LOG ? text(error, ErrorTexts::line) : text(error, ErrorTexts::ownLine);
    }

    /** For the column {@code stack}: without the application's messages, so that more people may read it. */
    public String stack(Throwable error) {
        return PlainText.storable(text(error, ErrorTexts::ownLine), StackText.MAX_LENGTH);
    }

    /** For the column {@code message}: the root cause's message and one line for each wrapping error. */
    public @Nullable String message(Throwable error) {
        List<Throwable> causes = Causes.of(error);
        List<String> lines = new ArrayList<>();
        String inner = "";
        for (int i = causes.size() - 1; i >= 0; i--) {
            Throwable cause = causes.get(i);
            String type = cause.getClass().getName();
            String message = kept(cause);
            if (!message.isBlank() && !message.equals(inner)) {
                lines.add(i == causes.size() - 1 ? message : type + ": " + message);
            }
            // the message that new RuntimeException(cause) generates
            inner = message.isBlank() ? type : type + ": " + message;
        }
        return lines.isEmpty() ? null : PlainText.storable(String.join("\n", lines), MAX_MESSAGES);
    }

    private String kept(Throwable error) {
        if (messages == ErrorMessages.NEVER && !OwnTexts.wrote(error)) {
            return "";
        }
        String message = Causes.message(error);
        return message == null ? "" : PlainText.storable(message, MAX_MESSAGE);
    }

    private String text(Throwable error, Function<Throwable, String> description) {
        return new StackText(new FrameOrigin(applicationPackages.get()), description).of(error);
    }

    private static String ownLine(Throwable error) {
        return OwnTexts.wrote(error) ? line(error) : "";
    }

    private static String line(Throwable error) {
        String message = Causes.message(error);
        return message == null || message.isBlank() ? "" : ": " + PlainText.line(message, MAX_MESSAGE);
    }
}
