package io.konduit.queue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What a class logs, until this is closed. */
public final class CapturedLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final Logger logger;

    public CapturedLog(Class<?> source) {
        logger = (Logger) LoggerFactory.getLogger(source);
        start();
        logger.addAppender(this);
    }

    /** Messages at this level, as people read them. */
    public List<String> at(Level level) {
        return events.stream()
                .filter(event -> event.getLevel().equals(level))
                .map(ILoggingEvent::getFormattedMessage)
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
