package io.konduit.queue.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.data.repository.core.NamedQueries;
import org.springframework.jdbc.core.namedparam.EmptySqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterUtils;

/**
 * The statements, one {@code .sql} resource each, with every {@code konduit_*} name put into the configured schema.
 *
 * <p>Text shared by several statements is a fragment: <code>{{expired}}</code> is replaced by {@code
 * fragment-expired.sql} without its leading comment. A statement may have variants: in {@code search:held} the star of
 * <code>{{search-*}}</code> stands for {@code held}. Fragments and variants are named by code only, values are always bound.
 */
public final class SqlStatements implements NamedQueries {
    private static final Pattern NAME = Pattern.compile("\\bkonduit_\\w+");
    private static final Pattern INCLUDE = Pattern.compile("\\{\\{([a-z*-]+)}}");
    private static final String FRAGMENT = "fragment-";
    private static final String COMMENT = "--";
    private static final char VARIANT = ':';

    private final String prefix;
    private final Map<String, String> loaded = new ConcurrentHashMap<>();

    SqlStatements(@Nullable String schema) {
        this.prefix = schema == null ? "" : schema + ".";
    }

    /** The statement in {@code <name>.sql}, or {@code <name>:<variant>} of it. */
    public String get(String name) {
        return loaded.computeIfAbsent(name, this::load);
    }

    /** The same with positional instead of named parameters: resolving names takes longer than some statements. */
    public String positional(String name) {
        return NamedParameterUtils.substituteNamedParameters(get(name), EmptySqlParameterSource.INSTANCE);
    }

    /** For Spring Data: a query has the name of its statement. */
    @Override
    public boolean hasQuery(String name) {
        return SqlStatements.class.getResource(path(file(name))) != null;
    }

    /** Without comments: Spring Data treats an apostrophe in a comment as the start of a literal. */
    @Override
    public String getQuery(String name) {
        return get(name)
                .lines()
                .filter(line -> !line.stripLeading().startsWith(COMMENT))
                .collect(Collectors.joining("\n"));
    }

    /** A table's name in the configured schema. */
    String table(String name) {
        return prefix + name;
    }

    private String load(String name) {
        String variant = name.indexOf(VARIANT) < 0 ? "" : name.substring(name.indexOf(VARIANT) + 1);
        String text = expand(read(file(name)), variant);
        return NAME.matcher(text).replaceAll(Matcher.quoteReplacement(prefix) + "$0");
    }

    private static String expand(String text, String variant) {
        return INCLUDE.matcher(text)
                .replaceAll(include -> Matcher.quoteReplacement(
                        expand(fragment(include.group(1).replace("*", variant)), variant)));
    }

    /** A fragment is inserted within a line, where a comment would cut off the statement. */
    private static String fragment(String name) {
        return read(FRAGMENT + name)
                .lines()
                .filter(line -> !line.startsWith(COMMENT))
                .collect(Collectors.joining("\n"));
    }

    private static String file(String name) {
        return name.indexOf(VARIANT) < 0 ? name : name.substring(0, name.indexOf(VARIANT));
    }

    private static String path(String name) {
        return "/io/konduit/queue/store/" + name + ".sql";
    }

    private static String read(String name) {
        try (InputStream in = SqlStatements.class.getResourceAsStream(path(name))) {
            if (in == null) {
                throw new IllegalStateException("There is no statement " + name + ".sql beside " + SqlStatements.class);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("The statement " + name + ".sql cannot be read.", e);
        }
    }
}
