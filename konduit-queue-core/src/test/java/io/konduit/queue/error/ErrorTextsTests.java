package io.konduit.queue.error;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.konduit.queue.DoNotRetryException;
import io.konduit.queue.InvalidPayloadException;
import io.konduit.queue.LeaseLostException;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.worker.WorkerIdentity;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import shop.Shop;

class ErrorTextsTests {
    private static final String CANARY = "canary-4711";

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private static ErrorTexts texts(ErrorMessages messages) {
        return new ErrorTexts(messages, List::of);
    }

    private static String log(Throwable error) {
        return texts(ErrorMessages.STORE).forLog(error);
    }

    @Test
    void everyFrameOfTheApplicationIsThereAndThoseOfFrameworksAreCounted() {
        Throwable error = catchThrowable(
                () -> CompletableFuture.runAsync(() -> Shop.deep(60, "seven")).join());
        String text = log(error);
        long frames = Arrays.stream(error.getCause().getStackTrace())
                .filter(frame -> frame.getClassName().startsWith("shop."))
                .count();
        assertThat(frames).isGreaterThan(60);
        assertThat(text.lines().filter(line -> line.startsWith("    at shop.Shop.")))
                .hasSize((int) frames);
        assertThat(text)
                .containsPattern("    \\.\\.\\. \\d+ frames? of the JDK")
                .doesNotContain("java.util.concurrent.ForkJoin");
    }

    @Test
    void theRootCauseComesFirstWithTheFrameThatMadeIt() {
        String text = log(catchThrowable(() -> Shop.wrapping(() -> Shop.deep(0, "seven"), CANARY)));
        assertThat(text)
                .startsWith("java.lang.NumberFormatException\n    at java.lang.NumberFormatException.forInputString(")
                .containsSubsequence(
                        "    at shop.Shop.deep(Shop.java:",
                        "\n  wrapped by shop.Shop$MailFailedException\n    at shop.Shop.wrapping(Shop.java:",
                        " as above")
                .doesNotContain(CANARY);
    }

    @Test
    void onlyFramesOfProxiesReflectionAndTheQueueAreCounted() {
        InvocationHandler fails = (proxy, method, arguments) -> Shop.call(() -> {
            throw new IllegalStateException();
        });
        Runnable proxy =
                (Runnable) Proxy.newProxyInstance(Shop.class.getClassLoader(), new Class<?>[] {Runnable.class}, fails);
        FrameOrigin origin = new FrameOrigin(List.of());
        assertThat(Arrays.stream(catchThrowable(proxy::run).getStackTrace())
                        .filter(frame -> frame.getClassName().contains("$Proxy"))
                        .map(origin::library))
                .isNotEmpty()
                .containsOnly("proxies");
        assertThat(library(origin, "jdk.internal.reflect.DirectMethodHandleAccessor"))
                .isEqualTo("the JDK");
        assertThat(library(origin, "shop.Jobs$$SpringCGLIB$$0")).isEqualTo("proxies");
        assertThat(library(origin, "io.konduit.queue.worker.TaskRunner")).isEqualTo("konduit-queue");
        assertThat(library(origin, "io.konduit.queue.sample.PaymentJobs")).isNull();
        assertThat(library(origin, "io.konduit.shop.Jobs")).isNull();
        assertThat(library(origin, "javaland.Jobs")).isNull();
        assertThat(library(origin, "Jobs")).isNull();
    }

    @Test
    void anApplicationBelowAPackageOfAFrameworkIsAnApplication() {
        FrameOrigin origin = new FrameOrigin(List.of("org.springframework.samples.clinic"));
        assertThat(library(origin, "org.springframework.samples.clinic.VisitJobs"))
                .isNull();
        assertThat(library(origin, "org.springframework.samples.clinic.owner.Owner"))
                .isNull();
        assertThat(library(origin, "org.springframework.samples.clinician.Other"))
                .isEqualTo("Spring");
    }

    @Test
    void everyPackageOfTheQueueIsKnownAsItsOwn() throws IOException, URISyntaxException {
        Path classes = Path.of(WorkerIdentity.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Set<String> packages = new TreeSet<>();
        try (Stream<Path> files = Files.walk(classes)) {
            files.filter(file -> file.toString().endsWith(".class"))
                    .map(file -> classes.relativize(file.getParent()).toString().replace('/', '.'))
                    .forEach(packages::add);
        }
        assertThat(packages).hasSizeGreaterThan(10);
        assertThat(FrameOrigin.OWN_PACKAGES).containsAll(packages);
    }

    @Test
    void anOverflowIsToldOnce() {
        String text = log(catchThrowable(() -> Shop.endless(0)));
        assertThat(text)
                .startsWith("java.lang.StackOverflowError\n    at shop.Shop.")
                .containsPattern("\\.\\.\\. the 2 frames above \\d{3} times more");
        assertThat(text.lines()).hasSizeLessThan(10);
    }

    @Test
    void whatIsTooLongKeepsTheRootCauseAndBothEndsOfItsStack() {
        Throwable error = new IllegalStateException();
        error.setStackTrace(IntStream.range(0, 5_000)
                .mapToObj(i -> new StackTraceElement("shop.Big", "call" + i, "Big.java", i))
                .toArray(StackTraceElement[]::new));
        for (int i = 0; i < 40; i++) {
            error = new Shop.MailFailedException("again", error);
        }
        String text = log(error);
        assertThat(text.length()).isLessThanOrEqualTo(StackText.MAX_LENGTH);
        assertThat(text)
                .startsWith("java.lang.IllegalStateException\n    at shop.Big.call0(")
                .containsPattern("\\.\\.\\. \\d+ lines left out\n")
                .contains("shop.Big.call4999(", "wrapped by shop.Shop$MailFailedException", "times more");
    }

    @Test
    void suppressedErrorsAreTold() {
        Throwable error = new IllegalStateException();
        error.addSuppressed(new IOException(CANARY));
        assertThat(log(error)).contains("\n  suppressed java.io.IOException").doesNotContain(CANARY);
    }

    @ParameterizedTest
    @EnumSource(ErrorMessages.class)
    @Tag("O7")
    void messagesAreWhereTheSettingSays(ErrorMessages messages) {
        Throwable error = new IllegalStateException("about Ada", new IOException(CANARY));
        ErrorTexts texts = texts(messages);
        assertThat(texts.message(error))
                .isEqualTo(
                        messages == ErrorMessages.NEVER
                                ? null
                                : CANARY + "\njava.lang.IllegalStateException: about Ada");
        assertThat(texts.stack(error)).doesNotContain(CANARY, "about Ada");
        if (messages == ErrorMessages.LOG) {
            assertThat(texts.forLog(error)).contains("java.io.IOException: " + CANARY, "IllegalStateException: about");
        } else {
            assertThat(texts.forLog(error)).doesNotContain(CANARY, "about Ada");
        }
    }

    @Test
    void aMessageThatOnlyRepeatsItsCauseIsToldOnce() {
        assertThat(texts(ErrorMessages.STORE).message(new RuntimeException(new IOException("disk full"))))
                .isEqualTo("disk full");
    }

    @Test
    void aLoggedMessageStaysOnItsLine() {
        String text = texts(ErrorMessages.LOG)
                .forLog(new IllegalStateException("one\r\n2026-01-01 ERROR forged\u2028\u001b[31mred"));
        assertThat(text.lines().findFirst().orElseThrow())
                .isEqualTo("java.lang.IllegalStateException: one  2026-01-01 ERROR forged  [31mred");
    }

    @Test
    void textsOfTheQueueAreAlwaysTold() {
        Throwable error =
                catchThrowable(() -> QueueHarness.converter().read("\"x\"", int.class, "the payload of type 't'"));
        assertThat(error).isInstanceOf(InvalidPayloadException.class);
        ErrorTexts texts = texts(ErrorMessages.NEVER);
        assertThat(texts.message(error)).startsWith("Expected the payload of type 't' to be readable as int");
        assertThat(texts.forLog(error)).contains("InvalidPayloadException: Expected the payload of type 't'");
        assertThat(texts.stack(error)).contains("InvalidPayloadException: Expected the payload of type 't'");
    }

    @Test
    @Tag("O7")
    void errorsOfTheQueueThatTheApplicationThrowsAreItsOwnText() {
        for (Throwable error : List.of(
                new DoNotRetryException(CANARY), new InvalidPayloadException(CANARY), new LeaseLostException(CANARY))) {
            assertThat(texts(ErrorMessages.STORE).forLog(error)).doesNotContain(CANARY);
            assertThat(texts(ErrorMessages.NEVER).message(error)).isNull();
        }
    }

    @Test
    void theWritersOfOwnTextsExist() {
        assertThat(OwnTexts.WRITERS)
                .allSatisfy(name -> assertThat(Class.forName(name)).isNotNull());
    }

    @Test
    void typesAreOfTheRootCause() {
        Throwable error = new Shop.MailFailedException("", new IllegalStateException(new IOException()));
        assertThat(ErrorTexts.type(error)).isEqualTo("java.io.IOException");
        assertThat(ErrorTexts.simpleType("java.io.IOException")).isEqualTo("IOException");
        assertThat(ErrorTexts.simpleType("shop.Shop$MailFailedException")).isEqualTo("MailFailedException");
        assertThat(ErrorTexts.simpleType("shop.Shop$1")).isEqualTo("Shop$1");
        assertThat(ErrorTexts.simpleType("Plain")).isEqualTo("Plain");
    }

    /** Everything it is asked fails. */
    static class HostileException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message for you");
        }

        @Override
        public synchronized Throwable getCause() {
            throw new StackOverflowError();
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            throw new UnsupportedOperationException();
        }

        @Override
        public String toString() {
            throw new AssertionError();
        }
    }

    /** Answers with nothing. */
    static class EmptyException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public StackTraceElement[] getStackTrace() {
            return null;
        }
    }

    /** A new cause each time. */
    static class EndlessException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public synchronized Throwable getCause() {
            return new EndlessException();
        }
    }

    /** Named, because a test's name would be what they say. */
    static Stream<Named<Throwable>> hostile() {
        return hostileErrors().map(error -> Named.of(error.getClass().getSimpleName(), error));
    }

    private static Stream<Throwable> hostileErrors() {
        IllegalStateException one = new IllegalStateException("one");
        IOException two = new IOException("two", one);
        one.initCause(two);
        IllegalStateException own = new IllegalStateException("own");
        own.addSuppressed(two);
        StackTraceElement odd = new StackTraceElement("odd\nclass\0", "\ud83d", null, -1);
        RuntimeException strange = new RuntimeException("\0 \ud83d 🚀 " + "🚀".repeat(10_000));
        strange.setStackTrace(new StackTraceElement[] {odd, odd, odd, odd});
        return Stream.of(
                new HostileException(),
                new IllegalStateException("outer", new HostileException()),
                new EmptyException(),
                new EndlessException(),
                one,
                two,
                own,
                strange,
                new RuntimeException((String) null),
                new RuntimeException("x".repeat(10_000_000)));
    }

    @ParameterizedTest
    @MethodSource("hostile")
    void anErrorThatCannotBeReadHasTextsAllTheSameAndTheyCanBeStored(Throwable error) {
        for (ErrorMessages messages : ErrorMessages.values()) {
            ErrorTexts texts = texts(messages);
            assertThat(texts.forLog(error)).isNotEmpty().hasSizeLessThan(20_000);
            String message = texts.message(error);
            for (String text : new String[] {ErrorTexts.type(error), texts.stack(error), message}) {
                if (text != null) {
                    assertThat(text.length()).isLessThanOrEqualTo(StackText.MAX_LENGTH);
                    assertThat(harness.jdbc()
                                    .sql("select :text")
                                    .param("text", text)
                                    .query(String.class)
                                    .single())
                            .isEqualTo(text);
                }
            }
        }
        assertThat(ErrorTexts.rootFrames(error)).isNotNull();
    }

    private static String library(FrameOrigin origin, String type) {
        return origin.library(new StackTraceElement(type, "run", null, 1));
    }
}
