package io.konduit.queue.observation;

import io.konduit.queue.error.ErrorTexts;
import io.konduit.queue.store.ClaimedTask;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Creates the observations of the queue. If there is a tracer, it writes its context at enqueue. The context is stored
 * with the task, and the execution continues the same trace. Tags have few values; ids and payloads are never tags.
 */
public final class TaskObservations {
    /** Timer of calls to the queue that enqueue. */
    public static final String ENQUEUE = "konduit.queue.enqueue";

    /** Timer of handler runs. */
    public static final String EXECUTION = "konduit.queue.execution";

    /** Class of the root cause. */
    public static final String EXCEPTION = "exception";

    private static final String TYPE = "type";
    private static final String QUEUE = "queue";
    private static final String OUTCOME = "outcome";
    private static final String NO_ERROR = "none";
    private static final int MAX_ERRORS = 50;
    private static final int LONGEST_CONTEXT = 2_000;

    private final ObservationRegistry registry;
    private final LimitedTags types = new LimitedTags();
    private final LimitedTags errors = new LimitedTags(MAX_ERRORS);

    public TaskObservations(ObservationRegistry registry) {
        this.registry = registry;
    }

    /** Observes nothing. */
    public static TaskObservations none() {
        return new TaskObservations(ObservationRegistry.NOOP);
    }

    /** Observes an enqueue; the work gets the trace context to store, null when there is no trace. */
    public <T> T enqueue(String type, Function<@Nullable String, T> work) {
        if (registry.isNoop()) {
            return work.apply(null);
        }
        SenderContext<Map<String, String>> context = new SenderContext<>(
                (carrier, key, value) -> {
                    if (carrier != null) {
                        carrier.put(key, value);
                    }
                },
                Kind.PRODUCER);
        context.setCarrier(new HashMap<>());
        Observation observation = Observation.createNotStarted(ENQUEUE, () -> context, registry)
                .contextualName("enqueue " + types.of(type))
                .lowCardinalityKeyValue(TYPE, types.of(type));
        return observation.observe(() -> work.apply(write(context.getCarrier())));
    }

    /** An observation of one run, not started yet. */
    public Observation execution(ClaimedTask task) {
        if (registry.isNoop()) {
            return Observation.NOOP;
        }
        ReceiverContext<Map<String, String>> context =
                new ReceiverContext<>((carrier, key) -> carrier == null ? null : carrier.get(key), Kind.CONSUMER);
        context.setCarrier(read(task.traceContext()));
        return Observation.createNotStarted(EXECUTION, () -> context, registry)
                .contextualName("run " + types.of(task.type()))
                .lowCardinalityKeyValue(QUEUE, task.queue())
                .lowCardinalityKeyValue(TYPE, types.of(task.type()))
                .lowCardinalityKeyValue(outcome("success"))
                .lowCardinalityKeyValue(EXCEPTION, NO_ERROR);
    }

    /** Marks a run that ended with an error. The error's message may quote the payload, so only its class is passed on. */
    public void failed(Observation observation, Throwable error) {
        observation.lowCardinalityKeyValue(outcome("error"));
        observation.lowCardinalityKeyValue(EXCEPTION, errors.of(ErrorTexts.simpleType(ErrorTexts.type(error))));
        observation.error(new HandlerFailure(error));
    }

    /** Marks a run that another worker continues. */
    public static void handedOver(Observation observation) {
        observation.lowCardinalityKeyValue(outcome("handed_over"));
    }

    /** Marks a run that its handler has snoozed. */
    public static void snoozed(Observation observation) {
        observation.lowCardinalityKeyValue(outcome("snoozed"));
    }

    private static KeyValue outcome(String value) {
        return KeyValue.of(OUTCOME, value);
    }

    private static @Nullable String write(@Nullable Map<String, String> carrier) {
        if (carrier == null || carrier.isEmpty()) {
            return null;
        }
        String text = new TreeMap<>(carrier)
                .entrySet().stream()
                        .map(entry -> entry.getKey() + "=" + entry.getValue())
                        .collect(Collectors.joining("\n"));
        return text.length() > LONGEST_CONTEXT ? null : text;
    }

    private static Map<String, String> read(@Nullable String text) {
        Map<String, String> carrier = new HashMap<>();
        if (text != null) {
            for (String line : text.split("\n")) {
                int at = line.indexOf('=');
                if (at > 0) {
                    carrier.put(line.substring(0, at), line.substring(at + 1));
                }
            }
        }
        return carrier;
    }

    /** Replaces a handler's error, without its message. */
    private static final class HandlerFailure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        HandlerFailure(Throwable error) {
            super(ErrorTexts.type(error), null, false, true);
            setStackTrace(ErrorTexts.rootFrames(error));
        }
    }
}
