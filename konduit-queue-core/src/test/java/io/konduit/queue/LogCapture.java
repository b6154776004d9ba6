package io.konduit.queue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** Everything that is logged while it is open, at every level and by every library. */
public final class LogCapture extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final Logger queue = (Logger) LoggerFactory.getLogger("io.konduit");
    private final Level rootLevel = root.getLevel();
    private final Level queueLevel = queue.getLevel();
    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();

    private LogCapture() {}

    public static LogCapture open() {
        LogCapture capture = new LogCapture();
        capture.setContext(capture.root.getLoggerContext());
        capture.start();
        capture.root.addAppender(capture);
        capture.root.setLevel(Level.INFO);
        capture.queue.setLevel(Level.TRACE);
        return capture;
    }

    @Override
    protected void append(ILoggingEvent event) {
        event.prepareForDeferredProcessing();
        events.add(event);
    }

    /** All that any log format could show: messages, arguments, errors with their causes, MDC. */
    public String everything() {
        StringBuilder text = new StringBuilder();
        for (ILoggingEvent event : events) {
            text.append(event.getLevel())
                    .append(' ')
                    .append(event.getFormattedMessage())
                    .append(' ');
            text.append(event.getMDCPropertyMap()).append('\n');
            IThrowableProxy thrown = event.getThrowableProxy();
            if (thrown != null) {
                text.append(ThrowableProxyUtil.asString(thrown)).append('\n');
            }
        }
        return text.toString();
    }

    /** The queue's own messages of this level. */
    public List<String> messages(Level level) {
        return events.stream()
                .filter(event ->
                        event.getLevel() == level && event.getLoggerName().startsWith("io.konduit"))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Override
    public void close() {
        root.detachAppender(this);
        root.setLevel(rootLevel);
        queue.setLevel(queueLevel);
        stop();
    }
}
