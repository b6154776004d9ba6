package io.konduit.queue;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.test.TestDatabase;
import java.time.Duration;
import java.util.List;

/** Both ways of a queue to a test's database, with every statement written down. */
public final class CountedQueue implements AutoCloseable {
    private final CountingDriver.Journal journal;
    private final HikariDataSource application = new HikariDataSource();
    private final ControlPool controlPool;
    private final QueueDatabase database;

    public CountedQueue(TestDatabase testDatabase) {
        journal = CountingDriver.journalFor(testDatabase.jdbcUrl());
        application.setJdbcUrl(journal.jdbcUrl());
        application.setMaximumPoolSize(4);
        application.setMinimumIdle(1);
        controlPool = new ControlPool(application, 2, Duration.ofSeconds(10));
        database = new QueueDatabase(application, controlPool, null);
    }

    public QueueDatabase database() {
        return database;
    }

    public HikariDataSource application() {
        return application;
    }

    public CountingDriver.Journal journal() {
        return journal;
    }

    /** What the action executed. */
    public List<String> statementsOf(Runnable action) {
        journal.clear();
        action.run();
        return journal.statements();
    }

    @Override
    public void close() {
        controlPool.close();
        application.close();
    }
}
