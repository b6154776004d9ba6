package io.konduit.queue.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.springframework.dao.DataAccessResourceFailureException;

/** Tells other nodes which queues have something due. A lost notification costs one poll interval and nothing else. */
public final class NotificationChannel {
    private static final String CHANNEL = "konduit_task";
    private static final int LONGEST_NAME = 63;

    private final QueueDatabase database;
    private final String channel;

    public NotificationChannel(QueueDatabase database) {
        this.database = database;
        this.channel = name(database.schema());
    }

    /** PostgreSQL cuts a longer name off when it listens, and refuses it when it notifies. */
    private static String name(@Nullable String schema) {
        String name = schema == null ? CHANNEL : CHANNEL + "_" + schema;
        return schema == null || name.length() <= LONGEST_NAME
                ? name
                : CHANNEL + "_" + Integer.toHexString(schema.hashCode());
    }

    /** Whether a connection can listen: one whose session is shared would leave that to the next client. */
    public boolean canListen() {
        return database.controlPool().sessions() == ServerSessions.OWN;
    }

    /** Sends one notification per queue, in a transaction of its own. */
    public void send(Collection<String> queues) {
        database.control("notify")
                .param("channel", channel)
                .param("queues", SqlArrays.texts(queues))
                .query((row, number) -> number)
                .list();
    }

    /**
     * Opens a connection of its own and listens on it.
     *
     * @throws DataAccessResourceFailureException if the database does not answer
     */
    public Subscription subscribe() {
        try {
            Connection connection = database.controlPool().openDedicated();
            try (Statement statement = connection.createStatement()) {
                connection.setAutoCommit(true);
                statement.execute("listen " + channel);
                return new Subscription(connection);
            } catch (SQLException e) {
                connection.close();
                throw e;
            }
        } catch (SQLException e) {
            throw broken(e);
        }
    }

    private static DataAccessResourceFailureException broken(SQLException cause) {
        return new DataAccessResourceFailureException("The listening connection does not answer.", cause);
    }

    /** A listening connection. Each method throws {@link DataAccessResourceFailureException} when it is broken. */
    public static final class Subscription implements AutoCloseable {
        private final Connection connection;

        private Subscription(Connection connection) {
            this.connection = connection;
        }

        /** Waits for notifications and returns the queues they name; empty when the time is up. */
        public Set<String> await(Duration most) {
            try {
                PGNotification @Nullable [] notifications =
                        connection.unwrap(PGConnection.class).getNotifications((int) most.toMillis());
                Set<String> queues = new HashSet<>();
                if (notifications != null) {
                    for (PGNotification notification : notifications) {
                        queues.add(notification.getParameter());
                    }
                }
                return queues;
            } catch (SQLException e) {
                throw broken(e);
            }
        }

        /** A round trip, which finds a connection that died silently. */
        public void verify(Duration most) {
            try {
                if (!connection.isValid((int) Math.max(1, most.toSeconds()))) {
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
