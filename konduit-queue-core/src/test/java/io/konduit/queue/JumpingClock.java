package io.konduit.queue;

import io.konduit.queue.test.TestDatabase;
import java.time.Duration;

/**
 * A clock for the statements of one test database that runs as the real one does, and can be put forward and back. The
 * time at which the server came up can be changed too. Sessions opened after {@link #install} have it.
 */
public final class JumpingClock {
    private final TestDatabase database;

    private JumpingClock(TestDatabase database) {
        this.database = database;
    }

    public static JumpingClock install(TestDatabase database) {
        database.execute(
                "create schema test_clock",
                "create table test_clock.setting (shift interval not null, started_at timestamptz not null)",
                "insert into test_clock.setting values (interval '0', pg_catalog.clock_timestamp() - interval '30 days')",
                function("clock_timestamp", "volatile", "pg_catalog.clock_timestamp() + shift"),
                function("statement_timestamp", "stable", "pg_catalog.statement_timestamp() + shift"),
                function("pg_postmaster_start_time", "stable", "started_at"),
                "alter database " + database.name() + " set search_path = test_clock, pg_catalog, public");
        return new JumpingClock(database);
    }

    /** Puts the clock forward, or back when negative, from where it is. */
    public void jump(Duration by) {
        database.execute("update test_clock.setting set shift = shift + " + by.toMillis() + " * interval '1 ms'");
    }

    /** Lets the server have come up this long ago. */
    public void serverCameUp(Duration ago) {
        database.execute("update test_clock.setting set started_at = pg_catalog.clock_timestamp() + shift - "
                + ago.toMillis() + " * interval '1 ms'");
    }

    private static String function(String name, String volatility, String value) {
        return "create function test_clock." + name + "() returns timestamptz language sql " + volatility
                + " as 'select " + value + " from test_clock.setting'";
    }
}
