package io.konduit.queue.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.admin.PayloadRedaction;
import io.konduit.queue.admin.TaskContent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;

/** Who sees payloads, and what of them. */
@Tag("O3")
class DisclosureTests {
    private static final TaskContent PAYMENT =
            new TaskContent("{\"order\": 7, \"card\": \"4111\"}", "{\"step\": 2}", false);

    private static Disclosure showing(PayloadRedaction... redactions) {
        return new Disclosure(Show.ALWAYS, Set.of(), List.of(redactions));
    }

    /** Somebody with one role; nobody without a name. */
    private record Caller(@Nullable String name, String role) implements SecurityContext {
        @Override
        public @Nullable Principal getPrincipal() {
            return name == null ? null : () -> name;
        }

        @Override
        public boolean isUserInRole(String asked) {
            return asked.equals(role);
        }
    }

    @Test
    void theSettingSaysWhoSeesThem() {
        Caller operator = new Caller("ada", "OPERATOR");
        Caller guest = new Caller("guest", "GUEST");
        Caller nobody = new Caller(null, "");
        Set<String> roles = Set.of("OPERATOR");
        Disclosure never = new Disclosure(Show.NEVER, roles, List.of());
        assertThat(List.of(never.isFor(operator), never.isFor(nobody), never.isForAnybody()))
                .containsOnly(false);
        Disclosure authorized = new Disclosure(Show.WHEN_AUTHORIZED, roles, List.of());
        assertThat(authorized.isFor(operator)).isTrue();
        assertThat(List.of(authorized.isFor(guest), authorized.isFor(nobody), authorized.isForAnybody()))
                .containsOnly(false);
        Disclosure anyUser = new Disclosure(Show.WHEN_AUTHORIZED, Set.of(), List.of());
        assertThat(anyUser.isFor(guest)).isTrue();
        assertThat(anyUser.isFor(nobody)).isFalse();
        Disclosure always = new Disclosure(Show.ALWAYS, roles, List.of());
        assertThat(List.of(always.isFor(nobody), always.isForAnybody())).containsOnly(true);
    }

    @Test
    void withoutARedactionAllIsShown() {
        ContentView shown = showing().content("pay", PAYMENT, "");
        assertThat(shown.payload()).isEqualTo(Map.of("order", BigInteger.valueOf(7), "card", "4111"));
        assertThat(shown.checkpoint()).isEqualTo(Map.of("step", BigInteger.TWO));
        assertThat(shown.note()).isNull();
        assertThat(shown.toString()).doesNotContain("4111");
        assertThat(showing().message("pay", "card 4111 refused")).isEqualTo("card 4111 refused");
    }

    @Test
    void numbersAreShownAsTheyAre() {
        TaskContent found = new TaskContent("[12345678901234567890123, 0.1000000000000000000001]", null, false);
        assertThat(showing().content("pay", found, "").payload())
                .isEqualTo(
                        List.of(new BigInteger("12345678901234567890123"), new BigDecimal("0.1000000000000000000001")));
    }

    @Test
    void redactionsGetTheTypeAndEachWhatTheOneBeforeLeft() {
        Disclosure disclosure = showing(
                (type, json) -> type.equals("pay") ? json.replace("4111", "***") : json,
                (type, json) -> json.replace("***", "gone"));
        assertThat(disclosure.content("pay", PAYMENT, "").payload())
                .isEqualTo(Map.of("order", BigInteger.valueOf(7), "card", "gone"));
        assertThat(disclosure.content("other", PAYMENT, "").payload().toString())
                .contains("4111");
    }

    @Test
    void aRedactionThatFailsShowsNothingAndSaysSo() {
        for (PayloadRedaction broken : List.<PayloadRedaction>of(
                (type, json) -> {
                    throw new IllegalStateException("about " + json);
                },
                (type, json) -> {
                    throw new StackOverflowError();
                })) {
            ContentView shown = showing(broken).content("pay", PAYMENT, "");
            assertThat(shown.payload()).isNull();
            assertThat(shown.checkpoint()).isNull();
            assertThat(shown.note())
                    .startsWith("Hidden: the PayloadRedaction of the application failed with java.lang.")
                    .doesNotContain("4111");
        }
    }

    @Test
    void aRedactionMayHideEverythingAndMustReturnJson() {
        ContentView hidden = showing((type, json) -> null).content("pay", PAYMENT, "");
        assertThat(hidden.payload()).isNull();
        assertThat(hidden.note()).isEqualTo("Hidden by the PayloadRedaction of the application.");
        ContentView text = showing((type, json) -> "4111, oops").content("pay", PAYMENT, "");
        assertThat(text.payload()).isNull();
        assertThat(text.note()).contains("not JSON").doesNotContain("4111");
    }

    @Test
    void whereThereIsARedactionMessagesAreHiddenUnlessItSaysHowToShowThem() {
        assertThat(showing((type, json) -> json).message("pay", "card 4111 refused"))
                .isNull();
        PayloadRedaction both = new PayloadRedaction() {
            @Override
            public String redact(String type, String json) {
                return json;
            }

            @Override
            public String redactMessage(String type, String message) {
                return message.replaceAll("\\d{4}", "****");
            }
        };
        assertThat(showing(both).message("pay", "card 4111 refused")).isEqualTo("card **** refused");
        assertThat(showing(both).message("pay", null)).isNull();
    }

    @Test
    void whatIsTooLargeSaysWhereToFindIt() {
        ContentView shown = showing().content("pay", new TaskContent(null, "{}", true), "see elsewhere");
        assertThat(shown.payload()).isNull();
        assertThat(shown.checkpoint()).isEqualTo(Map.of());
        assertThat(shown.note()).isEqualTo("see elsewhere");
    }
}
