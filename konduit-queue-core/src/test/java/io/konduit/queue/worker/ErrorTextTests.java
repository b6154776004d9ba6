package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.QueueHarness;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ErrorTextTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private static final String CANARY = "canary-4711";

    @Test
    void fullTextHasClassMessageAndStack() {
        assertThat(ErrorText.full(new IllegalStateException(CANARY, new RuntimeException("because"))))
                .contains("IllegalStateException: " + CANARY, "because", ErrorTextTests.class.getName());
    }

    @Test
    void fullTextCanAlwaysBeStored() {
        String text = ErrorText.full(new IllegalStateException("\0 \ud83d 🚀 " + "🚀".repeat(10_000)));
        assertThat(text.length()).isLessThanOrEqualTo(8_000);
        assertThat(harness.jdbc()
                        .sql("select :text")
                        .param("text", text)
                        .query(String.class)
                        .single())
                .isEqualTo(text)
                .contains("🚀");
    }

    @Test
    @Tag("O7")
    void logTextHasNoMessagesWhateverTheErrorIs() {
        Exception cause = new RuntimeException(CANARY);
        Exception error = new IllegalStateException(CANARY, cause);
        error.addSuppressed(new RuntimeException(CANARY));
        cause.initCause(new RuntimeException(CANARY, null));
        assertThat(ErrorText.withoutMessages(error))
                .contains("java.lang.IllegalStateException", "caused by java.lang.RuntimeException", "ErrorTextTests")
                .doesNotContain(CANARY);
    }

    static class HostileException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message for you");
        }
    }

    @Test
    void errorThatCannotTellItsMessageHasATextAllTheSame() {
        assertThat(ErrorText.full(new HostileException())).contains(HostileException.class.getName());
    }
}
