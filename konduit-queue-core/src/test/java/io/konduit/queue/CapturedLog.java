package io.konduit.queue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What was logged under a name while this was open. */
public final class CapturedLog implements AutoCloseable {
    private final Logger logger;
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    private CapturedLog(String name) {
        this.logger = (Logger) LoggerFactory.getLogger(name);
        lines.start();
        logger.addAppender(lines);
    }

    /** Captures all loggers below the package of a class. */
    public static CapturedLog ofPackageOf(Class<?> type) {
        return new CapturedLog(type.getPackageName());
    }

    public List<String> at(Level level) {
        return List.copyOf(lines.list).stream()
                .filter(event -> event.getLevel() == level)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    public List<String> all() {
        return List.copyOf(lines.list).stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(lines);
    }
}
