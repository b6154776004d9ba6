package io.konduit.queue.handler;

import io.konduit.queue.InvalidJobHandlerException;
import java.lang.reflect.Type;
import java.util.Collection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks at startup whether the handlers' payloads can be read and validated, and says what to add if not. */
public final class PayloadTypeCheck {
    private static final Logger log = LoggerFactory.getLogger(PayloadTypeCheck.class);

    private PayloadTypeCheck() {}

    /**
     * Throws when a handler could not read any payload. Warns when it could not read some, or when declared constraints
     * are not validated.
     */
    public static void check(Collection<JobHandlerMethod> handlers, PayloadConverter converter) {
        for (JobHandlerMethod handler : handlers) {
            Type declared = handler.payloadType();
            if (declared == null) {
                continue;
            }
            for (UnreadableTypes.Found found : converter.unreadable(declared)) {
                String message = message(handler, declared, found.type());
                if (found.always()) {
                    throw new InvalidJobHandlerException(message);
                }
                log.warn(message);
            }
            if (handler.validation().isMissing()) {
                log.warn(
                        "Handler '{}' ({}) has constraints on its payload, but there is no jakarta.validation.Validator bean: payloads are not validated. Add spring-boot-starter-validation, or remove the constraints.",
                        handler.type(),
                        handler.location());
            }
        }
    }

    private static String message(JobHandlerMethod handler, Type declared, Class<?> type) {
        String kind = (type.isSealed() ? "sealed " : "") + (type.isInterface() ? "interface" : "abstract class");
        return "Handler '%s' (%s) takes %s, but Jackson cannot tell which implementation of the %s %s to read. Add %s to %s%s."
                .formatted(
                        handler.type(),
                        handler.location(),
                        declared.getTypeName(),
                        kind,
                        type.getName(),
                        type.isSealed()
                                ? "@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)"
                                : "@JsonTypeInfo(use = JsonTypeInfo.Id.NAME) and @JsonSubTypes",
                        type.getSimpleName(),
                        type.isSealed()
                                ? "; its permitted subtypes are found without more"
                                : ", or take a concrete type");
    }
}
