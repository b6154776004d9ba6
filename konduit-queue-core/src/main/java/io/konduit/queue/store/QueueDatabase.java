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
import org.springframework.transaction.TransactionExecution;
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
    private final JdbcClient fencingClient;
    private final JdbcTemplate insertingTemplate;
    private final JdbcClient insertingClient;
    private final JdbcClient controlClient;
    private final TransactionTemplate applicationTransaction;
    private final TransactionTemplate controlTransaction;
    private final @Nullable String schema;
    private final EndedTransactions endedTransactions;
    private final SnapshotTransactions snapshotTransactions;
    private final boolean applicationLooksAtNoThread;
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
        this.endedTransactions = new EndedTransactions(application);
        this.snapshotTransactions = new SnapshotTransactions(application);
        this.applicationLooksAtNoThread = ThreadBlindDataSources.contains(application);
        this.controlPool = controlPool;
        this.statements = new SqlStatements(schema);
        this.applicationClient = JdbcClient.create(new FreshlyPlanned(application));
        this.fencingClient = JdbcClient.create(new FreshlyPlanned(application, false));
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
     * Tells the queue of the end of the application's transactions: every transaction manager should have it as a listener,
     * or the fence, which passes on what it hears.
     */
    public EndedTransactions endedTransactions() {
        return endedTransactions;
    }

    public SnapshotTransactions snapshotTransactions() {
        return snapshotTransactions;
    }

    /**
     * What stands for the transaction on the application's data source that the calling thread is in; null when it is in
     * none. A suspended transaction is not it, nor one that has ended, and neither is a connection that a transaction
     * elsewhere keeps open: that one still commits each statement.
     */
    public @Nullable Object applicationTransaction() {
        return endedTransactions.isBound() ? null : boundTransaction();
    }

    /** Whether this transaction is what the thread has its connection from, and not one on another data source. */
    public boolean isApplicationTransaction(TransactionExecution transaction) {
        return endedTransactions.resourceOf(transaction) != null;
    }

    /** Whether the thread's connection waits for a commit, also one that has begun. */
    public boolean isTransactionOpen() {
        return boundTransaction() != null;
    }

    /** Whether this stands for the transaction that the thread has its connection from. */
    public boolean isBound(Object transaction) {
        return TransactionSynchronizationManager.getResource(application) == transaction;
    }

    /** Whether the transaction that this stood for holds no locks any more. */
    public boolean hasEnded(Object transaction) {
        return endedTransactions.contains(transaction);
    }

    /** Undoes what the thread's transaction has done and nobody has committed. */
    public void rollBack() {
        Connection connection = DataSourceUtils.getConnection(application);
        try {
            // of a connection that broke the server has undone everything
            if (!connection.isClosed() && !connection.getAutoCommit() && !PgTransaction.isIdle(connection)) {
                connection.rollback();
            }
        } catch (SQLException e) {
            throw new DataAccessResourceFailureException("The transaction's connection does not answer.", e);
        } finally {
            DataSourceUtils.releaseConnection(connection, application);
        }
    }

    private @Nullable Object boundTransaction() {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            return null;
        }
        Object resource = TransactionSynchronizationManager.getResource(application);
        return resource != null && isOpenTransaction() ? resource : null;
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

    /** The same, whose time the transaction's limit does not end: what it says decides whether that one may commit. */
    JdbcClient.StatementSpec fencing(String statement) {
        return fencingClient.sql(statements.get(statement));
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
        if (endedTransactions.isBound()) {
            return endedTransactions.commit(work);
        }
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
        boolean committed =
                !endedTransactions.isBound() && (applicationTransaction() != null || applicationCommitsByItself());
        return committed ? statement.get() : inTransaction(statement);
    }

    /**
     * Whether a statement that this thread sends to the application's data source could as well be sent by another one: it
     * is in no transaction, commits by itself, and the data source is known not to look at the thread. A virtual thread's could
     * not: when it is interrupted its connection is closed, and the statements of others with it.
     */
    boolean canShareStatements() {
        return !isInTransaction()
                && !TransactionSynchronizationManager.hasResource(application)
                && applicationLooksAtNoThread
                && !VirtualThreads.isCurrent()
                && applicationCommitsByItself();
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
