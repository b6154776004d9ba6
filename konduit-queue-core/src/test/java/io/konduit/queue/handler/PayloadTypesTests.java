package io.konduit.queue.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Level;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.konduit.queue.InvalidJobHandlerException;
import io.konduit.queue.InvalidPayloadException;
import io.konduit.queue.JobHandler;
import io.konduit.queue.LogCapture;
import io.konduit.queue.PayloadTooLargeException;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.settings.PayloadSettings;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonParser;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.json.JsonMapper;

/** Payloads are written as what their handler takes, and the start says what could not be read. */
@Tag("S9")
class PayloadTypesTests {
    private static final String CANARY = "canary-4711";

    private final PayloadConverter converter = QueueHarness.converter();
    private final PayloadConverter checking =
            new PayloadConverter(JsonMapper.builder().build(), new PayloadSettings(PayloadConverter.MAX_BYTES, true));

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Card.class, name = "card"),
        @JsonSubTypes.Type(value = Cash.class, name = "cash")
    })
    interface Pay {}

    record Card(String number) implements Pay {}

    record Cash(int cents) implements Pay {}

    record Envelope<T>(T body) {}

    static class Order {
        public String name = "";
    }

    static class RushOrder extends Order {
        public int hours;
    }

    static class Names extends java.util.ArrayList<String> {
        private static final long serialVersionUID = 1L;
    }

    private static final Type PAYS = new TypeReference<List<Pay>>() {}.getType();

    private Object thereAndBack(Object payload, Type declared) {
        return converter.readPayload(converter.writePayload(payload, "pay", declared), declared, "pay");
    }

    @Test
    void elementsOfGenericTypesHaveTheIdsThatReadingThemNeeds() {
        List<Pay> pays = List.of(new Card("1"), new Cash(2));
        assertThat(thereAndBack(pays, PAYS)).isEqualTo(pays);
        assertThat(converter.writePayload(pays, "pay", PAYS))
                .isEqualTo("[{\"kind\":\"card\",\"number\":\"1\"},{\"kind\":\"cash\",\"cents\":2}]");
        assertThat(thereAndBack(Set.of(new Cash(2)), new TypeReference<Set<Pay>>() {}.getType()))
                .isEqualTo(Set.of(new Cash(2)));
        assertThat(thereAndBack(Map.of("a", new Cash(2)), new TypeReference<Map<String, Pay>>() {}.getType()))
                .isEqualTo(Map.of("a", new Cash(2)));
        assertThat(thereAndBack(Optional.of(new Cash(2)), new TypeReference<Optional<Pay>>() {}.getType()))
                .isEqualTo(Optional.of(new Cash(2)));
        assertThat(thereAndBack(new Envelope<Pay>(new Cash(2)), new TypeReference<Envelope<Pay>>() {}.getType()))
                .isEqualTo(new Envelope<>(new Cash(2)));
        assertThat((Pay[]) thereAndBack(new Pay[] {new Cash(2)}, Pay[].class)).containsExactly(new Cash(2));
        assertThat(thereAndBack(new Cash(2), Pay.class)).isEqualTo(new Cash(2));
    }

    /** Another application may take the larger type. */
    @Test
    void subclassIsWrittenWhole() {
        RushOrder order = new RushOrder();
        order.hours = 3;
        assertThat(converter.writePayload(order, "order", Order.class)).contains("\"hours\":3");
        assertThat(converter.writePayload(List.of(order), "order", new TypeReference<List<Order>>() {}.getType()))
                .contains("\"hours\":3");
    }

    @Test
    void withoutAHandlerHereThePayloadIsWrittenByItsClass() {
        assertThat(converter.writePayload(List.of(1), "pay", null)).isEqualTo("[1]");
        assertThat(converter.writePayload(null, "pay", PAYS)).isEqualTo("null");
    }

    @Test
    void whatIsNoInstanceOfTheDeclaredTypeIsTakenIfItCanBeReadAsOne() {
        assertThat(thereAndBack(Map.of("radius", 5), Circle.class)).isEqualTo(new Circle(5));
        assertThat(thereAndBack(5, long.class)).isEqualTo(5L);
        assertThat(thereAndBack(5, int.class)).isEqualTo(5);
        assertThat(thereAndBack(new Cash(5), Map.class)).isEqualTo(Map.of("cents", 5, "kind", "cash"));
    }

    @Test
    @Tag("O7")
    void whatIsNoInstanceOfTheDeclaredTypeAndCannotBeReadAsOneIsRefused() {
        assertThatExceptionOfType(InvalidPayloadException.class)
                .isThrownBy(() -> converter.writePayload(CANARY, "pay", Circle.class))
                .withMessage(
                        "Expected the payload of type 'pay' to be readable as " + Circle.class.getTypeName()
                                + ", which its handler takes, but the JSON written from java.lang.String is not (MismatchedInputException). Send what the handler takes, or change its parameter.");
        Names names = new Names();
        names.add(CANARY);
        assertThatExceptionOfType(InvalidPayloadException.class)
                .isThrownBy(() -> converter.writePayload(names, "pay", PAYS))
                .satisfies(e -> assertThat(e).message().doesNotContain(CANARY))
                .satisfies(e -> assertThat(e.getCause()).isNull());
    }

    /** Can be written, and not read. */
    record Lopsided(String text) {
        Lopsided {
            if (text.startsWith("canary")) {
                throw new IllegalStateException(text);
            }
        }

        @com.fasterxml.jackson.annotation.JsonProperty("text")
        @Override
        public String text() {
            return CANARY;
        }
    }

    @Test
    @Tag("O7")
    void payloadThatCouldNotBeReadIsRefusedWhenItIsChecked() {
        assertThatCode(() -> converter.writePayload(new Lopsided("x"), "odd", Lopsided.class))
                .doesNotThrowAnyException();
        assertThatExceptionOfType(InvalidPayloadException.class)
                .isThrownBy(() -> checking.writePayload(new Lopsided("x"), "odd", Lopsided.class))
                .withMessageContaining("the payload of type 'odd'")
                .withMessageContaining(Lopsided.class.getTypeName())
                .satisfies(e -> assertThat(e).message().doesNotContain(CANARY));
        assertThatCode(() -> checking.writePayload(new Lopsided("x"), "odd", null))
                .doesNotThrowAnyException();
    }

    @Test
    void limitOfPayloadsCanBeRaisedAndThatOfCheckpointsStays() {
        PayloadConverter larger =
                new PayloadConverter(JsonMapper.builder().build(), new PayloadSettings(10L * 1024 * 1024, true));
        String text = "x".repeat(10 * 1024 * 1024 - 2);
        assertThat(larger.writePayload(text, "blob", String.class)).hasSize(10 * 1024 * 1024);
        assertThatExceptionOfType(PayloadTooLargeException.class)
                .isThrownBy(() -> larger.writePayload(text + "x", "blob", String.class))
                .withMessage(
                        "Expected the payload of type 'blob' to be at most 10485760 bytes of JSON, but it has 10485761. Store the data elsewhere and send its key, or raise 'konduit.queue.max-payload' (up to 10MB).");
        assertThatExceptionOfType(PayloadTooLargeException.class)
                .isThrownBy(() -> larger.write("x".repeat(PayloadConverter.MAX_BYTES), "the checkpoint of type 'blob'"))
                .withMessageEndingWith("Store the data elsewhere and send its key.");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, 1023, 10L * 1024 * 1024 + 1})
    void limitOutsideOfItsBoundsIsRefused(long bytes) {
        assertThatExceptionOfType(io.konduit.queue.InvalidSettingsException.class)
                .isThrownBy(() -> new PayloadSettings(bytes, false))
                .withMessageStartingWith("'konduit.queue.max-payload' (" + bytes + " bytes) must be between");
    }

    sealed interface Bare permits Red, Blue {}

    record Red(int depth) implements Bare {}

    record Blue(int depth) implements Bare {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    sealed interface Told permits Left, Right {}

    record Left(int metres) implements Told {}

    record Right(int metres) implements Told {}

    interface Open {}

    @JsonDeserialize(using = ShapeReader.class)
    interface Shape {}

    @JsonDeserialize
    record Circle(int radius) implements Shape {}

    static class ShapeReader extends StdDeserializer<Shape> {
        ShapeReader() {
            super(Shape.class);
        }

        @Override
        public Shape deserialize(JsonParser parser, DeserializationContext context) {
            return new Circle(context.readTree(parser).path("radius").asInt());
        }
    }

    record Painting(String name, Bare colour, List<Bare> more) {}

    record Walk(
            Told turn,
            List<Told> turns,
            @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS) Open open,
            @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS) List<Open> opens,
            Shape shape,
            Map<String, Object> rest,
            Walk next) {}

    static class Bares {
        @JobHandler("bare")
        void handle(Bare bare) {}
    }

    static class ListOfBares {
        @JobHandler("bares")
        void handle(List<Bare> bares) {}
    }

    static class Opens {
        @JobHandler("open")
        void handle(Optional<Open> open) {}
    }

    static class Paintings {
        @JobHandler("painting")
        void handle(Painting painting) {}
    }

    static class Readable {
        @JobHandler("a")
        void a(Told told) {}

        @JobHandler("b")
        void b(List<Told> told) {}

        @JobHandler("c")
        void c(Shape shape) {}

        @JobHandler("d")
        void d(Map<String, Pay> pays) {}

        @JobHandler("e")
        void e(Walk walk) {}

        @JobHandler("f")
        void f(Object anything) {}

        @JobHandler("g")
        void g(java.util.Collection<? extends Number> numbers) {}

        @JobHandler("h")
        void h() {}

        @JobHandler("i")
        void i(tools.jackson.databind.JsonNode tree) {}
    }

    private void check(Object handlers) {
        PayloadTypeCheck.check(QueueHarness.registry(handlers).all(), converter);
    }

    /** Jackson 3 finds the permitted subtypes by itself, but puts no id into the JSON unless told to. */
    @Test
    void sealedInterfaceNeedsToSayThatItsTypeIsWritten() {
        assertThat(thereAndBack(new Left(3), Told.class)).isEqualTo(new Left(3));
        assertThat(thereAndBack(List.of(new Left(3), new Right(1)), new TypeReference<List<Told>>() {}.getType()))
                .isEqualTo(List.of(new Left(3), new Right(1)));
        assertThatExceptionOfType(InvalidPayloadException.class).isThrownBy(() -> thereAndBack(new Red(3), Bare.class));
    }

    @Test
    void startSaysWhatToAddToASealedInterface() {
        assertThatExceptionOfType(InvalidJobHandlerException.class)
                .isThrownBy(() -> check(new Bares()))
                .withMessage(
                        "Handler 'bare' (Bares.handle) takes " + Bare.class.getTypeName()
                                + ", but Jackson cannot tell which implementation of the sealed interface "
                                + Bare.class.getName()
                                + " to read. Add @JsonTypeInfo(use = JsonTypeInfo.Id.NAME) to Bare; its permitted subtypes are found without more.");
        assertThatExceptionOfType(InvalidJobHandlerException.class)
                .isThrownBy(() -> check(new ListOfBares()))
                .withMessageContaining("Handler 'bares' (ListOfBares.handle) takes java.util.List<")
                .withMessageContaining("to Bare;");
        assertThatExceptionOfType(InvalidJobHandlerException.class)
                .isThrownBy(() -> check(new Opens()))
                .withMessageEndingWith(
                        "Add @JsonTypeInfo(use = JsonTypeInfo.Id.NAME) and @JsonSubTypes to Open, or take a concrete type.");
    }

    /** It may never be set. */
    @Test
    void startOnlyWarnsOfAProperty() {
        try (LogCapture log = LogCapture.open()) {
            check(new Paintings());
            assertThat(log.messages(Level.WARN)).singleElement().asString().contains("'painting'", "to Bare;");
        }
    }

    @Test
    void startIsSilentAboutWhatCanBeRead() {
        try (LogCapture log = LogCapture.open()) {
            check(new Readable());
            assertThat(log.messages(Level.WARN)).isEmpty();
        }
        assertThat(thereAndBack(new Circle(4), Shape.class)).isEqualTo(new Circle(4));
    }
}
