package io.konduit.queue.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.konduit.queue.DuplicateJobHandlerException;
import io.konduit.queue.InvalidJobHandlerException;
import io.konduit.queue.InvalidTaskException;
import io.konduit.queue.JobHandler;
import io.konduit.queue.Priority;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.TaskType;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Payloads whose class says the task type. */
@Tag("V3")
class TypedPayloadTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    @TaskType("welcome-mail")
    record WelcomeMail(String to) {}

    @TaskType("welcome-mail")
    record OtherMail(String to) {}

    @TaskType("payment")
    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    sealed interface Payment permits Card, Cash {}

    record Card(String number) implements Payment {}

    @TaskType("cash")
    record Cash(int cents) implements Payment {}

    @TaskType("import")
    record Import<T>(List<T> rows) {}

    record Plain(String text) {}

    @TaskType("left")
    interface Left {}

    @TaskType("right")
    interface Right {}

    record Both() implements Left, Right {}

    @TaskType(" ")
    record Blank() {}

    static class Jobs {
        @JobHandler
        void send(WelcomeMail mail, TaskContext task) {}

        @JobHandler
        void pay(Payment payment) {}

        @JobHandler
        void load(Import<Plain> rows) {}
    }

    abstract static class Base<T> {
        @JobHandler
        void handle(T payload) {}
    }

    static class MailsByBase extends Base<WelcomeMail> {}

    static class CashByBase extends Base<Cash> {}

    private static String typeOf(TaskId id) {
        return harness.queue().find(id).orElseThrow().type();
    }

    @Test
    void handlerWithoutAValueTakesTheTypeOfItsPayload() {
        JobHandlerRegistry handlers = QueueHarness.registry(new Jobs());
        assertThat(handlers.types()).containsExactly("import", "payment", "welcome-mail");
        assertThat(QueueHarness.registry(new MailsByBase(), new CashByBase()).types())
                .containsExactly("cash", "welcome-mail");
    }

    @Test
    void payloadIsEnqueuedAsItsType() {
        TaskQueue queue = harness.queue(new Jobs());
        assertThat(typeOf(queue.enqueue(new WelcomeMail("ada@example.org")))).isEqualTo("welcome-mail");
        assertThat(typeOf(queue.enqueue(new Card("4711")))).isEqualTo("payment");
        assertThat(typeOf(queue.enqueue(new Cash(5))))
                .as("the nearest annotation")
                .isEqualTo("cash");
        assertThat(typeOf(queue.enqueue(new Import<>(List.of(new Plain("a")))))).isEqualTo("import");
        TaskRequest request = TaskRequest.of(new WelcomeMail("ada@example.org")).priority(Priority.HIGH);
        assertThat(typeOf(queue.enqueue(request))).isEqualTo("welcome-mail");
        assertThat(TaskRequest.typeOf(WelcomeMail.class)).contains("welcome-mail");
        assertThat(TaskRequest.typeOf(Plain.class)).isEmpty();
    }

    @Test
    void implementationOfASealedPayloadCanBeReadBack() throws Throwable {
        harness.queue(new Jobs()).enqueue(new Card("4711"));
        String stored = harness.claimOne(harness.newWorker()).payload();
        JobHandlerMethod handler =
                QueueHarness.registry(new Jobs()).find("payment").orElseThrow();
        assertThat(QueueHarness.converter().readPayload(stored, handler.payloadType(), "payment"))
                .isEqualTo(new Card("4711"));
    }

    /** The overload that a variable of type Object chooses must not make a payload of a request. */
    @Test
    void requestBehindAnObjectIsStillARequest() {
        Object request = TaskRequest.of("report", 1).queue("night");
        TaskId id = harness.queue().enqueue(request);
        assertThat(harness.queue().find(id).orElseThrow().queue()).isEqualTo("night");
    }

    static Stream<Arguments> payloadsWithoutType() {
        return Stream.of(
                Arguments.of(
                        "welcome-mail",
                        "Expected a payload whose class has @TaskType, but found a java.lang.String. If it is the task's type, call enqueue(type, payload); if it is the payload, call enqueue(\"type\", text)."),
                Arguments.of(
                        new Plain("canary"),
                        "Expected a payload whose class has @TaskType, but found " + Plain.class.getName()
                                + " without it. Add @TaskType(\"...\") to the class, or name the type: enqueue(\"type\", payload)."),
                Arguments.of(
                        List.of(new WelcomeMail("canary")),
                        "Expected a payload whose class has @TaskType, but found a java.util.ImmutableCollections$List12. Use enqueueAll for many tasks, or name the type: enqueue(\"type\", payload)."),
                Arguments.of(
                        new Both(),
                        "Payload class " + Both.class.getName()
                                + " inherits several task types: ['left' from Left, 'right' from Right]. Give the class its own @TaskType, or leave only one of them."));
    }

    @ParameterizedTest
    @MethodSource("payloadsWithoutType")
    void payloadWithoutATypeIsRefusedWithWhatToDo(Object payload, String message) {
        assertThatExceptionOfType(InvalidTaskException.class)
                .isThrownBy(() -> harness.queue().enqueue(payload))
                .withMessage(message);
        assertThat(harness.count("select count(*) from konduit_task")).isZero();
    }

    @Test
    @SuppressWarnings("NullAway")
    void nullIsNoTypedPayload() {
        assertThatExceptionOfType(InvalidTaskException.class)
                .isThrownBy(() -> harness.queue().enqueue((Object) null))
                .withMessage(
                        "Expected a payload whose class has @TaskType, but it is null. A task without a payload needs its type: enqueue(\"type\", null).");
    }

    @Test
    void anotherClassWithTheSameTypeIsRefusedEvenIfItsJsonFits() {
        TaskQueue queue = harness.queue(new Jobs());
        assertThatExceptionOfType(InvalidTaskException.class)
                .isThrownBy(() -> queue.enqueue(new OtherMail("canary")))
                .withMessage("Two classes have @TaskType(\"welcome-mail\"): " + WelcomeMail.class.getName()
                        + ", which Jobs.send takes, and " + OtherMail.class.getName()
                        + ". Give one of them another type.");
        assertThat(typeOf(queue.enqueue("welcome-mail", Map.of("to", "ada@example.org"))))
                .as("a payload of no type may be named")
                .isEqualTo("welcome-mail");
    }

    static class OtherJobs {
        @JobHandler
        void deliver(OtherMail mail) {}
    }

    @Test
    void twoClassesWithOneTypeAreRefusedAtStart() {
        assertThatExceptionOfType(DuplicateJobHandlerException.class)
                .isThrownBy(
                        () -> QueueHarness.registry(new Jobs(), new OtherJobs()).types())
                .withMessage("Two classes have @TaskType(\"welcome-mail\"): " + WelcomeMail.class.getName()
                        + ", which Jobs.send takes, and " + OtherMail.class.getName()
                        + ", which OtherJobs.deliver takes. Give one of them another type.");
    }

    static class Disagreeing {
        @JobHandler("goodbye-mail")
        void send(WelcomeMail mail) {}
    }

    static class Untyped {
        @JobHandler
        void send(Plain plain) {}
    }

    static class UntypedList {
        @JobHandler
        void send(List<WelcomeMail> mails) {}
    }

    static class WithoutPayload {
        @JobHandler
        void tick(TaskContext task) {}
    }

    static class Inheriting {
        @JobHandler
        void pay(Card card) {}
    }

    static class Ambiguous {
        @JobHandler
        void pay(Both both) {}
    }

    static class BlankType {
        @JobHandler
        void pay(Blank blank) {}
    }

    static Stream<Arguments> badHandlers() {
        return Stream.of(
                Arguments.of(
                        new Disagreeing(),
                        "Handler 'goodbye-mail' (Disagreeing.send) takes " + WelcomeMail.class.getName()
                                + ", whose @TaskType is 'welcome-mail'. Remove the value of @JobHandler, or make them equal."),
                Arguments.of(
                        new Untyped(),
                        "Handler Untyped.send has no type: @JobHandler has no value, and " + Plain.class.getName()
                                + " has no @TaskType. Write @JobHandler(\"...\"), or add @TaskType(\"...\") to the payload's class."),
                Arguments.of(
                        new UntypedList(),
                        "Handler UntypedList.send has no type: @JobHandler has no value, and java.util.List<"
                                + WelcomeMail.class.getName()
                                + "> has no @TaskType. Write @JobHandler(\"...\"), or add @TaskType(\"...\") to the payload's class."),
                Arguments.of(
                        new WithoutPayload(),
                        "Handler WithoutPayload.tick has no type: @JobHandler has no value, and the method takes no payload. Write @JobHandler(\"...\"), or take a payload whose class has @TaskType."),
                Arguments.of(
                        new Inheriting(),
                        "Handler 'payment' (Inheriting.pay) takes " + Card.class.getName()
                                + ", which inherits its @TaskType: payloads of other classes have the type as well. Take the class that declares it, or give Card a @TaskType of its own."),
                Arguments.of(
                        new Ambiguous(),
                        "Handler Ambiguous.pay: Payload class " + Both.class.getName()
                                + " inherits several task types: ['left' from Left, 'right' from Right]. Give the class its own @TaskType, or leave only one of them."),
                Arguments.of(
                        new BlankType(),
                        "Expected the type of @JobHandler on BlankType.pay to have 1 to 200 characters, but it is blank."));
    }

    @ParameterizedTest
    @MethodSource("badHandlers")
    void handlerWhoseTypeIsUnclearIsRefusedAtStart(Object bean, String message) {
        assertThatExceptionOfType(InvalidJobHandlerException.class)
                .isThrownBy(() -> QueueHarness.registry(bean).types())
                .withMessage(message);
    }
}
