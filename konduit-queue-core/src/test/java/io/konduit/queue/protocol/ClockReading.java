package io.konduit.queue.protocol;

import java.util.List;

/** What the database says about itself: its clock, when it was started, and for careless reapers the orphans of that moment. */
record ClockReading(long clock, long startedAt, List<Integer> orphans) {}
