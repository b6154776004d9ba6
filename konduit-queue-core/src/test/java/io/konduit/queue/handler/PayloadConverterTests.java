package io.konduit.queue.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.konduit.queue.InvalidPayloadException;
import io.konduit.queue.PayloadTooLargeException;
import io.konduit.queue.QueueHarness;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

@Tag("S9")
class PayloadConverterTests {
    private static final String CANARY = "canary-4711";
    private static final String WHAT = "the payload of type 'mail'";
    /** Quotes take two of the bytes. */
    private static final int LONGEST_TEXT = PayloadConverter.MAX_BYTES - 2;

    private final PayloadConverter converter = QueueHarness.converter();

    record Mail(String to, int copies) {}

    record Letters(List<Mail> mails) {}

    @Test
    void writesAndReadsBack() {
        String json = converter.write(new Letters(List.of(new Mail("Ada", 2))), WHAT);
        assertThat(json).isEqualTo("{\"mails\":[{\"to\":\"Ada\",\"copies\":2}]}");
        assertThat(converter.read(json, Letters.class, WHAT)).isEqualTo(new Letters(List.of(new Mail("Ada", 2))));
        assertThat(converter.write(null, WHAT)).isEqualTo("null");
        assertThat(converter.read("null", Mail.class, WHAT)).isNull();
    }

    @Test
    void payloadOfExactly256KibibytesIsTaken() {
        assertThatCode(() -> converter.write("x".repeat(LONGEST_TEXT), WHAT)).doesNotThrowAnyException();
        // three bytes each
        assertThatCode(() -> converter.write("€".repeat(LONGEST_TEXT / 3), WHAT))
                .doesNotThrowAnyException();
    }

    @Test
    void payloadOfOneByteMoreIsRefused() {
        assertThatExceptionOfType(PayloadTooLargeException.class)
                .isThrownBy(() -> converter.write("x".repeat(LONGEST_TEXT + 1), WHAT))
                .withMessage(
                        "Expected the payload of type 'mail' to be at most 262144 bytes of JSON, but it has 262145. Store the data elsewhere and send its key.");
        String wide = "€".repeat(LONGEST_TEXT / 3) + "xxx";
        assertThat(wide.length()).isLessThan(LONGEST_TEXT);
        assertThat(wide.getBytes(StandardCharsets.UTF_8).length).isEqualTo(LONGEST_TEXT + 1);
        assertThatExceptionOfType(PayloadTooLargeException.class).isThrownBy(() -> converter.write(wide, WHAT));
    }

    /** The database writes numbers out. */
    @Test
    void digitsThatExponentsStandForCount() {
        assertThatExceptionOfType(PayloadTooLargeException.class)
                .isThrownBy(() ->
                        converter.write(List.of(new BigDecimal("1e131071"), new BigDecimal("-1.5e-131071"), "x"), WHAT))
                .withMessageContaining("with its numbers written out, as the database stores them");
        assertThat(converter.write(List.of(new BigDecimal("1e131071"), 6.02e23, true, false), WHAT))
                .isEqualTo("[1E+131071,6.02E23,true,false]");
        String text = "1e999999999, \\ \" 2E+999999999 \"";
        assertThat(converter.write(Map.of(text, text), WHAT)).hasSizeLessThan(100);
    }

    @Test
    void nulCharacterIsRefused() {
        assertThatExceptionOfType(InvalidPayloadException.class)
                .isThrownBy(() -> converter.write(new Mail(CANARY + "\0", 1), WHAT))
                .withMessage(
                        "Expected the payload of type 'mail' to have no NUL character, which PostgreSQL cannot store, but it has one. Remove it, or send the bytes as Base64.");
        assertThatExceptionOfType(InvalidPayloadException.class)
                .isThrownBy(() -> converter.write(Map.of("\0", 1), WHAT));
    }

    @Test
    void textThatOnlyLooksLikeANulIsTaken() {
        String json = converter.write("a\\u0000b", WHAT);
        assertThat(converter.read(json, String.class, WHAT)).isEqualTo("a\\u0000b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\ud83d", "x\ud83dy", "\ude80", "\ude80\ud83d", "\ud83d\ud83d\ude80", "\ud83d\n"})
    void halfOfASurrogatePairIsRefusedRawAndEscaped(String broken) {
        String message =
                "Expected the payload of type 'mail' to be valid Unicode, but it has half of a surrogate pair. Remove it, or send the bytes as Base64.";
        PayloadConverter escaping = new PayloadConverter(
                JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build());
        assertThatExceptionOfType(InvalidPayloadException.class)
                .isThrownBy(() -> converter.write(broken, WHAT))
                .withMessage(message);
        assertThatExceptionOfType(InvalidPayloadException.class)
                .isThrownBy(() -> escaping.write(broken, WHAT))
                .withMessage(message);
    }

    @Test
    void wholeSurrogatePairsAreTakenRawAndEscaped() {
        PayloadConverter escaping = new PayloadConverter(
                JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build());
        assertThat(converter.read(converter.write("🚀🚀\n", WHAT), String.class, WHAT))
                .isEqualTo("🚀🚀\n");
        assertThat(escaping.read(escaping.write("🚀🚀\n", WHAT), String.class, WHAT))
                .isEqualTo("🚀🚀\n");
    }

    @Test
    void nestingTooDeepIsRefusedOnBothWays() {
        Object nested = List.of();
        for (int i = 0; i < 2_000; i++) {
            nested = List.of(nested);
        }
        Object tooDeep = nested;
        assertThatExceptionOfType(InvalidPayloadException.class)
                .isThrownBy(() -> converter.write(tooDeep, WHAT))
                .withMessageStartingWith("Expected the payload of type 'mail' to be writable as JSON, but ")
                .withMessageEndingWith("Send a record of plain values.");
        String json = "[".repeat(100_000) + "]".repeat(100_000);
        assertThatExceptionOfType(InvalidPayloadException.class)
                .isThrownBy(() -> converter.read(json, List.class, WHAT));
    }

    @Test
    void whatCanBeWrittenCanBeReadHoweverDeepItIs() {
        Object nested = List.of();
        int depth = 0;
        String json = "";
        try {
            while (depth < 5_000) {
                json = converter.write(nested, WHAT);
                nested = List.of(nested);
                depth++;
            }
        } catch (InvalidPayloadException e) {
            String deepest = json;
            assertThatCode(() -> converter.read(deepest, List.class, WHAT)).doesNotThrowAnyException();
        }
        assertThat(depth).isGreaterThan(100);
    }

    static class Selfish {
        public Selfish getSelf() {
            return this;
        }
    }

    static class Broken {
        public String getText() {
            throw new IllegalStateException(CANARY);
        }
    }

    @Test
    void valueThatCannotBeWrittenIsRefusedWithoutItsContent() {
        assertThatExceptionOfType(InvalidPayloadException.class)
                .isThrownBy(() -> converter.write(new Selfish(), WHAT))
                .withMessageContaining(Selfish.class.getName());
        assertThatExceptionOfType(InvalidPayloadException.class)
                .isThrownBy(() -> converter.write(List.of(new Broken()), WHAT))
                .satisfies(PayloadConverterTests::tellsNothing)
                .withMessageContaining("text");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"mails\": \"canary-4711\"}",
                "{\"mails\": [{\"to\": \"Ada\", \"copies\": \"canary-4711\"}]}",
                "{\"mails\": [{\"to\": {\"canary-4711\": 1}}]}",
                "\"canary-4711\"",
                "[\"canary-4711\"]",
                "{\"mails\": [canary-4711",
                "canary-4711",
                "{\"canary-4711\"",
                "{\"canary-4711\": [}"
            })
    @Tag("O7")
    void payloadThatCannotBeReadIsRefusedWithoutItsContent(String json) {
        assertThatExceptionOfType(InvalidPayloadException.class)
                .isThrownBy(() -> converter.read(json, Letters.class, WHAT))
                .withMessageStartingWith("Expected the payload of type 'mail' to be readable as "
                        + Letters.class.getTypeName() + ", but it is not")
                .withMessageEndingWith("Correct the sender, or the declared type.")
                .satisfies(PayloadConverterTests::tellsNothing);
    }

    @Test
    void messageNamesTheFieldThatIsWrong() {
        assertThatExceptionOfType(InvalidPayloadException.class)
                .isThrownBy(() -> converter.read("{\"mails\": [{\"copies\": \"many\"}]}", Letters.class, WHAT))
                .withMessageContaining("'mails.[0].copies' (InvalidFormatException)");
    }

    /** The keys of a map are content too. */
    @Test
    @Tag("O7")
    void messageNamesNoKeysOfMaps() {
        Type map = new TypeReference<Map<String, Map<String, Integer>>>() {}.getType();
        assertThatExceptionOfType(InvalidPayloadException.class)
                .isThrownBy(() -> converter.read("{\"canary-4711\": {\"canary-4711\": \"x\"}}", map, WHAT))
                .satisfies(PayloadConverterTests::tellsNothing);
        assertThatExceptionOfType(InvalidPayloadException.class)
                .isThrownBy(() -> converter.write(Map.of(CANARY, new Broken()), WHAT))
                .satisfies(PayloadConverterTests::tellsNothing);
    }

    /** A field that the declared type does not have was named by the sender. */
    @Test
    @Tag("O7")
    void messageNamesNoUnknownFields() {
        PayloadConverter strict = new PayloadConverter(JsonMapper.builder()
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build());
        assertThatExceptionOfType(InvalidPayloadException.class)
                .isThrownBy(() -> strict.read("{\"to\": \"Ada\", \"copies\": 1, \"canary-4711\": 1}", Mail.class, WHAT))
                .withMessageContaining("UnrecognizedPropertyException")
                .satisfies(PayloadConverterTests::tellsNothing);
    }

    /** Nor do causes and suppressed errors, which a log would print as well. */
    private static void tellsNothing(Throwable error) {
        List<Throwable> all = new ArrayList<>();
        for (Throwable current = error; current != null; current = current.getCause()) {
            all.add(current);
            all.addAll(List.of(current.getSuppressed()));
        }
        assertThat(all).allSatisfy(each -> assertThat(each.toString()).doesNotContain(CANARY));
    }
}
