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

/**
 * Tells other nodes which queues have something due, and passes control messages on. A lost notification costs time and
 * nothing else. The two have a channel each, because a queue may have any name.
 */
public final class NotificationChannel {
    private static final String TASKS = "konduit_task";
    private static final String CONTROL = "konduit_control";
    private static final int LONGEST_NAME = 63;

    private final QueueDatabase database;
    private final String tasks;
    private final String control;

    public NotificationChannel(QueueDatabase database) {
        this.database = database;
        this.tasks = name(TASKS, database.schema());
        this.control = name(CONTROL, database.schema());
    }

    /** What was heard: queues that have something due, and messages that this version understands. */
    public record Heard(Set<String> queues, Set<ControlMessage> messages) {
        public boolean isEmpty() {
            return queues.isEmpty() && messages.isEmpty();
        }
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
        try {
            Connection connection = database.controlPool().openDedicated();
            try (Statement statement = connection.createStatement()) {
                connection.setAutoCommit(true);
                statement.execute("listen " + control);
                statement.execute("listen " + tasks);
                return new Subscription(connection, control);
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

        private final String control;

        private Subscription(Connection connection, String control) {
            this.connection = connection;
            this.control = control;
        }

        /** Waits for notifications and returns what they say; empty when the time is up. */
        public Heard await(Duration most) {
            try {
                PGNotification @Nullable [] notifications =
                        connection.unwrap(PGConnection.class).getNotifications((int) most.toMillis());
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
