package io.konduit.queue.faults;

import io.konduit.queue.TaskContext;
import java.util.Optional;
import java.util.UUID;

/** What worker JVMs say of themselves, one flushed line each: a line that was said has happened, whatever came after. */
final class Oracle {
    private static final String MARK = "@@";

    private Oracle() {}

    /** One thing that happened, at a time of this machine. */
    record Line(long millis, String what, long task, long epoch, UUID worker) {

        static Optional<Line> parse(String text) {
            String[] words = text.split(" ");
            if (words.length != 6 || !words[0].equals(MARK)) {
                return Optional.empty();
            }
            return Optional.of(new Line(
                    Long.parseLong(words[1]),
                    words[2],
                    Long.parseLong(words[3]),
                    Long.parseLong(words[4]),
                    UUID.fromString(words[5])));
        }

        boolean is(String other) {
            return what.equals(other);
        }
    }

    /** What a handler does. */
    static void say(String what, TaskContext task, UUID worker) {
        say(what, task.id().value(), task.fencingToken(), worker);
    }

    static void say(String what, long task, long epoch, UUID worker) {
        synchronized (Oracle.class) {
            System.out.println(
                    String.join(" ", MARK, "" + System.currentTimeMillis(), what, "" + task, "" + epoch, "" + worker));
            System.out.flush();
        }
    }
}
