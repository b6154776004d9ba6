package io.konduit.queue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What a class, or all classes of a package, log until this is closed. */
public final class CapturedLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final Logger logger;

    public CapturedLog(Class<?> source) {
        this(source.getName());
    }

    private CapturedLog(String name) {
        logger = (Logger) LoggerFactory.getLogger(name);
        start();
        logger.addAppender(this);
    }

    /** Captures all loggers below the package of a class. */
    public static CapturedLog ofPackageOf(Class<?> type) {
        return new CapturedLog(type.getPackageName());
    }

    /** Messages at this level, as people read them. */
    public List<String> at(Level level) {
        return events.stream()
                .filter(event -> event.getLevel().equals(level))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    public List<String> all() {
        return events.stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }

    @Override
    protected void append(ILoggingEvent event) {
        events.add(event);
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        stop();
    }
}
