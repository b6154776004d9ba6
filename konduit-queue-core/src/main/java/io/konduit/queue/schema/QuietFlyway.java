package io.konduit.queue.schema;

import java.util.function.Supplier;
import org.flywaydb.core.api.logging.Log;
import org.flywaydb.core.api.logging.LogCreator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flyway's log while it works for the queue. Its INFO messages go to DEBUG, because the queue logs in one line what was
 * migrated. Flyway has one log for the whole JVM, so other threads, and the application's own Flyway afterwards, pass
 * through this class unchanged.
 */
public final class QuietFlyway implements LogCreator {
    private static final ThreadLocal<Boolean> QUIET = ThreadLocal.withInitial(() -> false);

    /** Runs a migration of the queue. */
    static <T> T during(Supplier<T> migration) {
        QUIET.set(true);
        try {
            return migration.get();
        } finally {
            QUIET.remove();
        }
    }

    @Override
    public Log createLogger(Class<?> type) {
        return new Slf4j(LoggerFactory.getLogger(type));
    }

    private record Slf4j(Logger logger) implements Log {
        @Override
        public void debug(String message) {
            logger.debug(message);
        }

        @Override
        public void info(String message) {
            if (QUIET.get()) {
                logger.debug(message);
            } else {
                logger.info(message);
            }
        }

        @Override
        public void warn(String message) {
            logger.warn(message);
        }

        @Override
        public void error(String message) {
            logger.error(message);
        }

        @Override
        public void error(String message, Exception e) {
            logger.error(message, e);
        }

        @Override
        public void notice(String message) {
            // advertisements; Flyway's own log over SLF4J drops them as well
        }
    }
}
