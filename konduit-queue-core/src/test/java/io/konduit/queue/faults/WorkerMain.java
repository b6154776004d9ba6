package io.konduit.queue.faults;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.TestNode;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * A node in a JVM of its own. Says on its standard output what it does, stops gracefully when it is told to end, and ends
 * at once when whoever started it is gone.
 */
public final class WorkerMain {
    private WorkerMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        HikariDataSource dataSource = new HikariDataSource();
        dataSource.setJdbcUrl(arguments[0]);
        dataSource.setMaximumPoolSize(5);
        dataSource.setMinimumIdle(1);
        TestNode.Options options = new TestNode.Options(
                arguments[1],
                Integer.parseInt(arguments[2]),
                Duration.ofMillis(Long.parseLong(arguments[3])),
                Integer.parseInt(arguments[4]));
        TestNode node = new TestNode(dataSource, options, its -> switch (arguments[5]) {
            case WorkerJvm.PAYMENTS -> new PaymentHandlers(its);
            case WorkerJvm.MAILS -> new MailHandlers(its);
            default -> new FaultHandlers(its, dataSource);
        });
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            node.close();
            Oracle.say("stopped", 0, 0, node.worker().identity().id());
        }));
        endWithParent();
        node.start();
        Oracle.say("ready", 0, 0, node.worker().identity().id());
        new CountDownLatch(1).await();
    }

    private static void endWithParent() {
        Thread watch = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {
                    // nothing is ever sent
                }
            } catch (IOException e) {
                // gone as well
            }
            Runtime.getRuntime().halt(1);
        });
        watch.setDaemon(true);
        watch.start();
    }
}
