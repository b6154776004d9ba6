package io.konduit.queue.store;

import io.konduit.queue.InvalidSettingsException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The two ways to the database: the application's data source, for what joins the application's transactions, and the
 * control pool, for what must go on when the application has used up its own.
 */
public final class QueueDatabase {
    private static final Pattern PLAIN_NAME = Pattern.compile("[a-z_][a-z0-9_]{0,62}");

    private final DataSource application;
    private final ControlPool controlPool;
    private final SqlStatements statements;
    private final JdbcClient applicationClient;
    private final JdbcTemplate insertingTemplate;
    private final JdbcClient insertingClient;
    private final JdbcClient controlClient;
    private final TransactionTemplate applicationTransaction;
    private final TransactionTemplate controlTransaction;
    private final @Nullable String schema;
    private final boolean applicationLooksAtTheThread;
    private volatile @Nullable Boolean applicationCommitsByItself;

    /**
     * @param schema where the tables are; null for the first schema of the search path
     */
    public QueueDatabase(DataSource application, ControlPool controlPool, @Nullable String schema) {
        if (schema != null && !PLAIN_NAME.matcher(schema).matches()) {
            throw new InvalidSettingsException("'konduit.queue.schema.name' must be a plain lower-case name"
                    + " (letters, digits and underscores, not starting with a digit) but is '" + schema + "'.");
        }
        this.schema = schema;
        this.application = application;
        this.applicationLooksAtTheThread = isRouting(application);
        this.controlPool = controlPool;
        this.statements = new SqlStatements(schema);
        this.applicationClient = JdbcClient.create(new FreshlyPlanned(application));
        this.insertingTemplate = new JdbcTemplate(application);
        this.insertingClient = JdbcClient.create(insertingTemplate);
        // the server must have ended a statement before this side stops listening to it
        JdbcTemplate controlTemplate = new JdbcTemplate(controlPool.dataSource());
        controlTemplate.setQueryTimeout(controlPool.statementSeconds());
        this.controlClient = JdbcClient.create(controlTemplate);
        this.applicationTransaction = new TransactionTemplate(new DataSourceTransactionManager(application));
        this.controlTransaction = new TransactionTemplate(new DataSourceTransactionManager(controlPool.dataSource()));
    }

    public DataSource application() {
        return application;
    }

    public DataSource control() {
        return controlPool.dataSource();
    }

    public @Nullable String schema() {
        return schema;
    }

    /** A table's name in the configured schema. */
    public String table(String name) {
        return statements.table(name);
    }

    /**
     * What stands for the transaction on the application's data source that the calling thread is in; null when it is in
     * none. A suspended transaction is not it, and neither is a connection that a transaction elsewhere keeps open: that
     * one still commits each statement.
     */
    public @Nullable Object applicationTransaction() {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            return null;
        }
        Object resource = TransactionSynchronizationManager.getResource(application);
        return resource != null && isOpenTransaction() ? resource : null;
    }

    /** Whether this is the transaction that {@link #applicationTransaction} stands for, and not one on another data source. */
    public boolean isApplicationTransaction(TransactionExecution transaction) {
        Object current = applicationTransaction();
        if (current != null
                && transaction instanceof DefaultTransactionStatus status
                && status.hasTransaction()
                && status.getTransaction() instanceof JdbcTransactionObjectSupport jdbc) {
            return jdbc.hasConnectionHolder() && jdbc.getConnectionHolder() == current;
        }
        return current != null;
    }

    /** Whether the calling thread is in a transaction on whatever data source. */
    boolean isInTransaction() {
        return TransactionSynchronizationManager.isActualTransactionActive();
    }

    private boolean isOpenTransaction() {
        Connection connection = DataSourceUtils.getConnection(application);
        try {
            return !connection.getAutoCommit();
        } catch (SQLException e) {
            throw new DataAccessResourceFailureException("The transaction's connection does not answer.", e);
        } finally {
            DataSourceUtils.releaseConnection(connection, application);
        }
    }

    ControlPool controlPool() {
        return controlPool;
    }

    SqlStatements statements() {
        return statements;
    }

    /** A statement in the caller's transaction. */
    JdbcClient.StatementSpec application(String statement) {
        return applicationClient.sql(statements.get(statement));
    }

    /** A statement in the caller's transaction that looks for no rows: its plan cannot grow old. */
    JdbcClient.StatementSpec inserting(String statement) {
        return insertingClient.sql(statements.get(statement));
    }

    /** The same without named parameters, which have to be looked up each time. */
    JdbcTemplate insertingTemplate() {
        return insertingTemplate;
    }

    /** A statement of the queue's own, on the control pool. */
    JdbcClient.StatementSpec control(String statement) {
        return controlClient.sql(statements.get(statement));
    }

    /** Runs the work in the caller's transaction if there is one, otherwise in one of its own. */
    <T> T inTransaction(Supplier<T> work) {
        return applicationTransaction() != null ? work.get() : applicationTransaction.execute(status -> work.get());
    }

    <T> T inControlTransaction(Supplier<T> work) {
        return controlTransaction.execute(status -> work.get());
    }

    /**
     * Runs one statement in the caller's transaction, or by itself: a pool whose connections do not commit on their own
     * needs a transaction even then, or the statement would be rolled back when the connection is returned.
     */
    <T> T joining(Supplier<T> statement) {
        return applicationTransaction() != null || applicationCommitsByItself()
                ? statement.get()
                : inTransaction(statement);
    }

    /**
     * Whether a statement that this thread sends to the application's data source could as well be sent by another one: it
     * is in no transaction, commits by itself, and the data source does not look at the thread. A virtual thread's could
     * not: when it is interrupted its connection is closed, and the statements of others with it.
     */
    boolean canShareStatements() {
        return !isInTransaction()
                && !TransactionSynchronizationManager.hasResource(application)
                && !applicationLooksAtTheThread
                && !VirtualThreads.isCurrent()
                && applicationCommitsByItself();
    }

    private static boolean isRouting(DataSource dataSource) {
        DataSource target = dataSource;
        while (target instanceof DelegatingDataSource delegating && delegating.getTargetDataSource() != null) {
            target = delegating.getTargetDataSource();
        }
        return target instanceof AbstractRoutingDataSource;
    }

    private boolean applicationCommitsByItself() {
        Boolean known = applicationCommitsByItself;
        if (known == null) {
            try (Connection connection = application.getConnection()) {
                known = connection.getAutoCommit();
            } catch (SQLException e) {
                throw new DataAccessResourceFailureException("The application's data source gives no connection.", e);
            }
            applicationCommitsByItself = known;
        }
        return known;
    }
}
