package bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.postgresql.PGConnection;

/** Sessions that listen as idle workers do. */
final class Listeners implements AutoCloseable {
    private final List<Connection> sessions = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong heard = new AtomicLong();
    private volatile boolean closed;

    Listeners(Db db, int number) throws SQLException {
        for (int i = 0; i < number; i++) {
            Connection session = db.connect();
            sessions.add(session);
            Db.run(session, "listen konduit_task", "listen konduit_control");
            Thread thread = new Thread(() -> listen(session), "listener-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
    }

    private void listen(Connection session) {
        try {
            PGConnection notifications = session.unwrap(PGConnection.class);
            while (!closed) {
                var batch = notifications.getNotifications(500);
                if (batch != null) heard.addAndGet(batch.length);
            }
        } catch (SQLException e) {
            if (!closed) e.printStackTrace();
        }
    }

    /** By all of them together. */
    long heard() {
        return heard.get();
    }

    @Override
    public void close() throws Exception {
        closed = true;
        for (Thread thread : threads) thread.join();
        for (Connection session : sessions) session.close();
    }
}
