package io.konduit.queue;

import io.konduit.queue.test.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A clock for the statements of one test database. It stands still at the instant it was set to, so that the very
 * millisecond of an expiry can be tested.
 *
 * <p>Functions of its own schema come before PostgreSQL's in the search path of every session that is opened after
 * {@link #install}.
 */
public final class DatabaseClock {
    private final TestDatabase database;

    private DatabaseClock(TestDatabase database) {
        this.database = database;
    }

    /** Takes over the clock of all sessions opened from now on. */
    public static DatabaseClock install(TestDatabase database, Instant now) {
        database.execute(
                "create schema test_clock",
                "create table test_clock.reading (now timestamptz not null)",
                "insert into test_clock.reading values ('" + now + "')",
                function("clock_timestamp", "volatile"),
                function("statement_timestamp", "stable"),
                "alter database " + database.name() + " set search_path = test_clock, pg_catalog, public");
        return new DatabaseClock(database);
    }

    public void set(Instant now) {
        database.execute("update test_clock.reading set now = '" + now + "'");
    }

    public void advance(Duration by) {
        set(now().plus(by));
    }

    public Instant now() {
        return JdbcClient.create(database.dataSource())
                .sql("select now from test_clock.reading")
                .query((row, number) -> row.getObject(1, java.time.OffsetDateTime.class))
                .single()
                .withOffsetSameInstant(ZoneOffset.UTC)
                .toInstant();
    }

    private static String function(String name, String volatility) {
        return "create function test_clock." + name + "() returns timestamptz language sql " + volatility
                + " as 'select now from test_clock.reading'";
    }
}
