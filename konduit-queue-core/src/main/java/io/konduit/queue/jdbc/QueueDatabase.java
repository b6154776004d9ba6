package io.konduit.queue.jdbc;

import io.konduit.queue.settings.SchemaSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.function.SingletonSupplier;

/**
 * The two paths to the database: the application's data source, for statements that join the application's
 * transactions, and the control pool, for statements that must work when the application has exhausted its own pool.
 */
public final class QueueDatabase {
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
    private final CallerTransaction callerTransaction;
    private final SnapshotTransactions snapshotTransactions;
    private final boolean applicationLooksAtNoThread;
    private final SingletonSupplier<PrivateRepositories> repositories;
    private volatile @Nullable Boolean applicationCommitsByItself;

    /**
     * @param schema where the tables are; null for the first schema of the search path
     */
    public QueueDatabase(DataSource application, ControlPool controlPool, @Nullable String schema) {
        this.schema = SchemaSettings.requireName(schema);
        this.application = application;
        this.endedTransactions = new EndedTransactions(application);
        this.callerTransaction = new CallerTransaction(application, endedTransactions);
        this.snapshotTransactions = new SnapshotTransactions(application);
        this.applicationLooksAtNoThread = ThreadBlindDataSources.contains(application);
        this.controlPool = controlPool;
        this.statements = new SqlStatements(schema);
        this.applicationClient = JdbcClient.create(new FreshlyPlanned(application));
        this.fencingClient = JdbcClient.create(new FreshlyPlanned(application, false));
        this.insertingTemplate = new JdbcTemplate(application);
        this.insertingClient = JdbcClient.create(insertingTemplate);
        // the server must end a statement before this side stops reading
        JdbcTemplate controlTemplate = new JdbcTemplate(controlPool.dataSource());
        controlTemplate.setQueryTimeout(controlPool.statementSeconds());
        this.controlClient = JdbcClient.create(controlTemplate);
        this.repositories = SingletonSupplier.of(() -> new PrivateRepositories(application, schema, statements));
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
     * Notifies the queue of the end of the application's transactions. Every transaction manager should have it as a
     * listener, or the fence, which forwards to it.
     */
    public EndedTransactions endedTransactions() {
        return endedTransactions;
    }

    public SnapshotTransactions snapshotTransactions() {
        return snapshotTransactions;
    }

    /** The transaction that the calling thread is in. */
    public CallerTransaction callerTransaction() {
        return callerTransaction;
    }

    public ControlPool controlPool() {
        return controlPool;
    }

    public SqlStatements statements() {
        return statements;
    }

    /** Spring Data on the application's connections, for what operators read. */
    public PrivateRepositories repositories() {
        return repositories.obtain();
    }

    /** A statement in the caller's transaction. */
    public JdbcClient.StatementSpec application(String statement) {
        return applicationClient.sql(statements.get(statement));
    }

    /** The same, not limited by the transaction's timeout: its result decides whether that transaction may commit. */
    public JdbcClient.StatementSpec fencing(String statement) {
        return fencingClient.sql(statements.get(statement));
    }

    /** A statement in the caller's transaction that reads no rows: its plan cannot become outdated. */
    public JdbcClient.StatementSpec inserting(String statement) {
        return insertingClient.sql(statements.get(statement));
    }

    /** The same without named parameters, which have to be resolved each time. */
    public JdbcTemplate insertingTemplate() {
        return insertingTemplate;
    }

    /** A statement of the queue itself, on the control pool. */
    public JdbcClient.StatementSpec control(String statement) {
        return controlClient.sql(statements.get(statement));
    }

    /** Runs the work in the caller's transaction if there is one, otherwise in a new one. */
    public <T> T inTransaction(Supplier<T> work) {
        if (endedTransactions.isBound()) {
            return endedTransactions.commit(work);
        }
        return callerTransaction.isOpen() ? work.get() : applicationTransaction.execute(status -> work.get());
    }

    public <T> T inControlTransaction(Supplier<T> work) {
        return controlTransaction.execute(status -> work.get());
    }

    /**
     * Runs one statement in the caller's transaction, or by itself. A pool without auto-commit needs a transaction even
     * then: otherwise the statement would be rolled back when the connection is returned.
     */
    public <T> T joining(Supplier<T> statement) {
        boolean committed =
                !endedTransactions.isBound() && (callerTransaction.isOpen() || applicationCommitsByItself());
        return committed ? statement.get() : inTransaction(statement);
    }

    /**
     * Whether another thread could equally send this thread's statement to the application's data source: the thread is
     * in no transaction, auto-commit is on, and the data source is known not to route by thread. A virtual thread does
     * not qualify: an interrupt closes its connection, and with it the statements of others.
     */
    public boolean canShareStatements() {
        return callerTransaction.holdsNothing()
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
