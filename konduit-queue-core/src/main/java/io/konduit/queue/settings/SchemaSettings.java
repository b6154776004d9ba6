package io.konduit.queue.settings;

import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the tables are, from {@code konduit.queue.schema.*}.
 *
 * @param initialize whether the tables are created and updated at start
 * @param name null for the first schema of the search path
 * @param lockPatience how long start-up tries to update tables that other sessions use
 */
public record SchemaSettings(boolean initialize, @Nullable String name, Duration lockPatience) {
    private static final Pattern PLAIN_NAME = Pattern.compile("[a-z_][a-z0-9_]{0,62}");

    public SchemaSettings {
        requireName(name);
        SettingRules.requirePositive(lockPatience, PropertyNames.SCHEMA_LOCK_PATIENCE);
    }

    /** The defaults of the properties. */
    public static SchemaSettings defaults() {
        return in(null);
    }

    /** The defaults in a schema of this name. */
    public static SchemaSettings in(@Nullable String name) {
        return new SchemaSettings(
                Defaults.flag(Defaults.SCHEMA_INITIALIZE), name, Defaults.duration(Defaults.SCHEMA_LOCK_PATIENCE));
    }

    /** Checks a name that becomes part of statements. */
    public static @Nullable String requireName(@Nullable String name) {
        SettingRules.require(
                name == null || PLAIN_NAME.matcher(name).matches(),
                "'" + PropertyNames.SCHEMA_NAME + "' must be a plain lower-case name"
                        + " (letters, digits and underscores, not starting with a digit) but is '" + name + "'.");
        return name;
    }
}
