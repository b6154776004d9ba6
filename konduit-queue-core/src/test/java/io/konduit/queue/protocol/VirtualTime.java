package io.konduit.queue.protocol;

import java.util.PriorityQueue;

/** A clock that jumps from event to event: an hour of it takes as long as its events. */
final class VirtualTime {
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long now;
    private long scheduled;

    private record Event(long at, long number, Runnable task) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(number, other.number);
        }
    }

    long now() {
        return now;
    }

    /** How many events there have been or are to come. */
    long events() {
        return scheduled;
    }

    void schedule(long delay, Runnable task) {
        events.add(new Event(now + delay, scheduled++, task));
    }

    /** Lets everything happen that is due until then, with a look around after each event. */
    void advance(long until, Runnable afterEach) {
        while (!events.isEmpty() && events.peek().at() <= until) {
            Event event = events.remove();
            now = event.at();
            event.task().run();
            afterEach.run();
        }
        now = until;
    }
}
