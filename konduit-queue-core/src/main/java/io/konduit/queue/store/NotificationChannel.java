package io.konduit.queue.store;

import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.jdbc.ServerSessions;
import io.konduit.queue.jdbc.SqlArrays;
import io.konduit.queue.jdbc.SqlStatements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.springframework.dao.DataAccessResourceFailureException;

/**
 * Tells other nodes which queues have due tasks, and forwards control messages. A lost notification costs time and
 * nothing else. The two have a channel each, because a queue may have any name.
 */
public final class NotificationChannel {
    private static final String TASKS = "konduit_task";
    private static final String CONTROL = "konduit_control";
    private static final int LONGEST_NAME = 63;
    private static final Duration LONGEST_LOGIN = Duration.ofSeconds(10);

    private final QueueDatabase database;
    private final String tasks;
    private final String control;

    public NotificationChannel(QueueDatabase database) {
        this.database = database;
        this.tasks = name(TASKS, database.schema());
        this.control = control(database.schema());
    }

    /** What was received: queues with due tasks, and messages that this version understands. */
    public record Heard(Set<String> queues, Set<ControlMessage> messages) {
        public boolean isEmpty() {
            return queues.isEmpty() && messages.isEmpty();
        }
    }

    /** The channel of control messages. */
    static String control(@Nullable String schema) {
        return name(CONTROL, schema);
    }

    /** PostgreSQL cuts a longer name off when it listens, and refuses it when it notifies. */
    private static String name(String channel, @Nullable String schema) {
        String name = schema == null ? channel : channel + "_" + schema;
        return schema == null || name.length() <= LONGEST_NAME
                ? name
                : channel + "_" + Integer.toHexString(schema.hashCode());
    }

    /** Whether a connection can listen: one whose session is shared would leave that to the next client. */
    public boolean canListen() {
        return database.controlPool().sessions() == ServerSessions.OWN;
    }

    /** Sends one notification per queue, in a transaction of its own. */
    public void send(Collection<String> queues) {
        send(tasks, queues);
    }

    /** Sends one notification per message, in a transaction of its own. */
    public void sendControl(Collection<ControlMessage> messages) {
        send(control, messages.stream().map(ControlMessage::text).toList());
    }

    private void send(String channel, Collection<String> payloads) {
        database.control("notify")
                .param("channel", channel)
                .param("payloads", SqlArrays.texts(payloads))
                .query((row, number) -> number)
                .list();
    }

    /**
     * Opens a connection of its own and listens on it.
     *
     * @throws DataAccessResourceFailureException if the database does not answer
     */
    public Subscription subscribe() {
        return subscribe(LONGEST_LOGIN);
    }

    /**
     * @param patience how long to wait for a connection, and then for its answer
     */
    public Subscription subscribe(Duration patience) {
        try {
            Connection connection = database.controlPool().openDedicated(patience);
            try (Statement statement = connection.createStatement()) {
                connection.setAutoCommit(true);
                connection.setNetworkTimeout(Runnable::run, limitMillis(patience));
                statement.execute("listen " + control);
                statement.execute("listen " + tasks);
                connection.setNetworkTimeout(Runnable::run, 0);
                return new Subscription(connection, control, database.statements());
            } catch (SQLException e) {
                connection.close();
                throw e;
            }
        } catch (SQLException e) {
            throw broken(e);
        }
    }

    /** A statement is cancelled on the server first, while its connection is still listened to. */
    private static int statementSeconds(Duration patience) {
        return (int) Math.max(1, patience.toSeconds() - 1);
    }

    private static int limitMillis(Duration patience) {
        return (int) Duration.ofSeconds(statementSeconds(patience) + 1L).toMillis();
    }

    private static DataAccessResourceFailureException broken(SQLException cause) {
        return new DataAccessResourceFailureException("The listening connection does not answer.", cause);
    }

    /** A listening connection. Each method throws {@link DataAccessResourceFailureException} when it is broken. */
    public static final class Subscription implements AutoCloseable {
        private final Connection connection;
        private final String control;
        private final SqlStatements statements;

        private Subscription(Connection connection, String control, SqlStatements statements) {
            this.connection = connection;
            this.control = control;
            this.statements = statements;
        }

        /**
         * K1: makes this session the worker's witness, and records that in the worker's row.
         *
         * @param grace how long it must be gone before the worker's leases end
         * @param term not lower than that of any earlier acquisition or renunciation of this worker
         * @return false when the worker has no row
         */
        public boolean takeWitness(UUID worker, Duration grace, long term, Duration patience) {
            try (PreparedStatement take = connection.prepareStatement(statements.positional("witness-take"))) {
                limit(take, patience);
                take.setInt(1, worker.hashCode());
                take.setString(2, control);
                take.setInt(3, worker.hashCode());
                take.setLong(4, grace.toMillis());
                take.setLong(5, term);
                take.setObject(6, worker);
                take.setLong(7, term);
                boolean taken = take.executeUpdate() == 1;
                connection.setNetworkTimeout(Runnable::run, 0);
                return taken;
            } catch (SQLException e) {
                throw broken(e);
            }
        }

        /** A round trip. False when the worker's row no longer names the witness. */
        public boolean verifyWitness(UUID worker, Duration patience) {
            try (PreparedStatement verify = connection.prepareStatement(statements.positional("witness-verify"))) {
                limit(verify, patience);
                verify.setObject(1, worker);
                boolean named;
                try (ResultSet row = verify.executeQuery()) {
                    named = row.next() && row.getBoolean(1);
                }
                connection.setNetworkTimeout(Runnable::run, 0);
                return named;
            } catch (SQLException e) {
                throw broken(e);
            }
        }

        /** Without a socket timeout, a session that goes silent meanwhile would be awaited forever. */
        private void limit(Statement statement, Duration patience) throws SQLException {
            statement.setQueryTimeout(statementSeconds(patience));
            connection.setNetworkTimeout(Runnable::run, limitMillis(patience));
        }

        private static int seconds(Duration time) {
            return (int) Math.max(1, time.toSeconds());
        }

        /** Waits for notifications and returns them; empty when the time is up. */
        public Heard await(Duration limit) {
            try {
                PGNotification @Nullable [] notifications =
                        connection.unwrap(PGConnection.class).getNotifications((int) limit.toMillis());
                Heard heard = new Heard(new HashSet<>(), new HashSet<>());
                if (notifications != null) {
                    for (PGNotification notification : notifications) {
                        if (notification.getName().equals(control)) {
                            ControlMessage.parse(notification.getParameter()).ifPresent(heard.messages()::add);
                        } else {
                            heard.queues().add(notification.getParameter());
                        }
                    }
                }
                return heard;
            } catch (SQLException e) {
                throw broken(e);
            }
        }

        /** A round trip, which finds a connection that died silently. */
        public void verify(Duration limit) {
            try {
                if (!connection.isValid(seconds(limit))) {
                    throw new SQLException("No answer to a round trip.");
                }
            } catch (SQLException e) {
                throw broken(e);
            }
        }

        @Override
        public void close() {
            try {
                connection.close();
            } catch (SQLException e) {
                throw broken(e);
            }
        }
    }
}
