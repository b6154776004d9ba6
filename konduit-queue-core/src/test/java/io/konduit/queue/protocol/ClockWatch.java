package io.konduit.queue.protocol;

/**
 * Compares the advance of the database clock with that of the own monotonic clock. A reading was taken at some moment between sending
 * the question and receiving the answer, so the advance must lie between the shortest and the longest time that allows.
 */
final class ClockWatch {
    private ClockReading last;
    private long lastSent;
    private long lastReceived;

    /** Whether the clock jumped or the database was started again since the reading before. The first reading proves nothing. */
    boolean jumped(ClockReading reading, long sent, long received) {
        boolean jumped = false;
        if (last != null) {
            long advance = reading.clock() - last.clock();
            jumped = reading.startedAt() != last.startedAt()
                    || advance > received - lastSent + Timing.CLOCK_TOLERANCE
                    || advance < sent - lastReceived - Timing.CLOCK_TOLERANCE
                    || received - sent > Timing.STATEMENT_TIMEOUT;
        }
        last = reading;
        lastSent = sent;
        lastReceived = received;
        return jumped;
    }
}
