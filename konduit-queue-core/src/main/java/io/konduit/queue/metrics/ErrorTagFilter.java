package io.konduit.queue.metrics;

import io.konduit.queue.observation.TaskObservations;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.config.MeterFilter;
import java.util.ArrayList;
import java.util.List;

/**
 * Micrometer derives the tag {@code error} from the class of the error that an observation receives. Ours is a
 * placeholder for the handler's error, whose message must not leak, and would always have the same name. This filter
 * replaces it by the class of the root cause, which is a separate tag.
 */
public final class ErrorTagFilter implements MeterFilter {
    private static final String ERROR = "error";

    @Override
    public Meter.Id map(Meter.Id id) {
        if (!id.getName().startsWith(TaskObservations.EXECUTION)) {
            return id;
        }
        String exception = id.getTag(TaskObservations.EXCEPTION);
        return exception == null ? id : id.replaceTags(renamed(id, exception));
    }

    private static List<Tag> renamed(Meter.Id id, String exception) {
        List<Tag> tags = new ArrayList<>();
        for (Tag tag : id.getTagsAsIterable()) {
            if (tag.getKey().equals(ERROR)) {
                tags.add(Tag.of(ERROR, exception));
            } else if (!tag.getKey().equals(TaskObservations.EXCEPTION)) {
                tags.add(tag);
            }
        }
        return tags;
    }
}
