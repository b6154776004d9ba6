package io.konduit.queue.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.namedparam.EmptySqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterUtils;

/** The statements, one {@code .sql} resource each, with every {@code konduit_*} name put into the configured schema. */
final class SqlStatements {
    private static final Pattern NAME = Pattern.compile(
            "\\bkonduit_(tasks|task_history|task_incident|task_error|task_id_seq|task|worker|chore|queue_audit|queue|audit|shedlock|timeline)\\b");

    private final String prefix;
    private final Map<String, String> loaded = new ConcurrentHashMap<>();

    SqlStatements(@Nullable String schema) {
        this.prefix = schema == null ? "" : schema + ".";
    }

    /** The statement in {@code <name>.sql}. */
    String get(String name) {
        return loaded.computeIfAbsent(name, this::load);
    }

    /** The same with places instead of names for its parameters: looking up names takes longer than some statements. */
    String withPlaces(String name) {
        return NamedParameterUtils.substituteNamedParameters(get(name), EmptySqlParameterSource.INSTANCE);
    }

    /** A table's name in the configured schema. */
    String table(String name) {
        return prefix + name;
    }

    private String load(String name) {
        try (InputStream in = SqlStatements.class.getResourceAsStream(name + ".sql")) {
            if (in == null) {
                throw new IllegalStateException("There is no statement " + name + ".sql beside " + SqlStatements.class);
            }
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return NAME.matcher(text).replaceAll(Matcher.quoteReplacement(prefix) + "$0");
        } catch (IOException e) {
            throw new UncheckedIOException("The statement " + name + ".sql cannot be read.", e);
        }
    }
}
