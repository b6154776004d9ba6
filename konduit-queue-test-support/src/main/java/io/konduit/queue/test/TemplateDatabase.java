package io.konduit.queue.test;

import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A migrated database with the invariant trigger, made once for a JVM and copied for each test class. */
public final class TemplateDatabase {
    private final Consumer<DataSource> migration;
    private @Nullable TestDatabase migrated;

    /**
     * @param migration creates the tables
     */
    public TemplateDatabase(Consumer<DataSource> migration) {
        this.migration = migration;
    }

    public synchronized TestDatabase copy() {
        if (migrated == null) {
            migrated = TestDatabase.create();
            migration.accept(migrated.dataSource());
            migrated.installInvariants(null);
        }
        return TestDatabase.copyOf(migrated);
    }
}
