package io.konduit.queue.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.konduit.queue.DuplicateJobHandlerException;
import io.konduit.queue.InvalidJobHandlerException;
import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskContext;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.SubmissionPublisher;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.PropertySourcesPlaceholderConfigurer;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

class JobHandlerScannerTests {
    record Mail(String to, int copies) {}

    /** What handlers were called with. */
    static final List<Object> CALLS = new ArrayList<>();

    private static final TaskContext CONTEXT = (TaskContext) Proxy.newProxyInstance(
            JobHandlerScannerTests.class.getClassLoader(),
            new Class<?>[] {TaskContext.class},
            (proxy, method, arguments) -> switch (method.getName()) {
                case "equals" -> proxy == arguments[0];
                case "hashCode" -> 1;
                default -> "context";
            });

    private static JobHandlerMethod handler(Object bean, String type) {
        return QueueHarness.registry(bean).find(type).orElseThrow();
    }

    private static List<Object> call(JobHandlerMethod handler, String payload) {
        CALLS.clear();
        try {
            handler.invoke(payload, QueueHarness.converter(), CONTEXT);
        } catch (RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        return List.copyOf(CALLS);
    }

    private static void called(Object... with) {
        CALLS.addAll(List.of(with));
    }

    static class AsyncMethod {
        @Async
        @JobHandler("async")
        void work() {}
    }

    @Async
    static class AsyncClass {
        @JobHandler("async")
        CompletableFuture<String> work() {
            return CompletableFuture.completedFuture("");
        }
    }

    static class Transactional0 {
        @JobHandler(value = "async", transactional = true)
        CompletableFuture<String> work() {
            return CompletableFuture.completedFuture("");
        }
    }

    static class Reactive {
        @JobHandler("async")
        SubmissionPublisher<String> work() {
            return new SubmissionPublisher<>();
        }
    }

    @ParameterizedTest
    @MethodSource("handlersThatReturnTooEarly")
    @Tag("S9")
    void handlerWhoseEndNobodyWouldSeeIsRefused(Object bean, String message) {
        assertThatExceptionOfType(InvalidJobHandlerException.class)
                .isThrownBy(() -> handler(bean, "async"))
                .withMessage(message);
    }

    static Stream<Arguments> handlersThatReturnTooEarly() {
        return Stream.of(
                Arguments.of(
                        new AsyncMethod(),
                        "Handler 'async' (AsyncMethod.work) is @Async: it would return before its work is done, and the task would be completed too early. Remove @Async; slots already run handlers on threads of their own."),
                Arguments.of(
                        new AsyncClass(),
                        "Handler 'async' (AsyncClass.work) is @Async: it would return before its work is done, and the task would be completed too early. Remove @Async; slots already run handlers on threads of their own."),
                Arguments.of(
                        new Transactional0(),
                        "Handler 'async' (Transactional0.work) is transactional and returns a CompletableFuture: work on other threads is not part of the transaction. Do the work before the handler returns, or remove transactional."),
                Arguments.of(
                        new Reactive(),
                        "Handler 'async' (Reactive.work) returns a SubmissionPublisher, which does nothing until somebody subscribes. Wait for it in the handler (block()), or return a CompletionStage (toFuture())."));
    }

    static class Shapes {
        @JobHandler("record")
        void takesRecord(Mail mail) {
            called(mail);
        }

        @JobHandler("string")
        void takesString(String text) {
            called(text);
        }

        @JobHandler("none")
        void takesNothing() {
            called("called");
        }

        @JobHandler("list")
        void takesList(List<Mail> mails) {
            called(mails.get(0).to(), mails.size());
        }

        @JobHandler("map")
        void takesMap(Map<String, List<Mail>> mails) {
            called(mails.get("x").get(0));
        }

        @JobHandler("primitive")
        protected void takesPrimitive(long number) {
            called(number);
        }

        @JobHandler("context")
        public void takesContext(TaskContext task) {
            called(task);
        }

        @JobHandler("context-first")
        void takesContextFirst(TaskContext task, Mail mail) {
            called(task, mail);
        }

        @JobHandler("context-last")
        int takesContextLast(Mail mail, TaskContext task) {
            called(mail, task);
            return 7;
        }
    }

    @Test
    void passesThePayloadInTheDeclaredTypeAndTheContextWhereItIsWanted() {
        Shapes shapes = new Shapes();
        Mail mail = new Mail("Ada", 2);
        String json = "{\"to\": \"Ada\", \"copies\": 2}";
        assertThat(call(handler(shapes, "record"), json)).containsExactly(mail);
        assertThat(call(handler(shapes, "string"), "\"Ada\"")).containsExactly("Ada");
        assertThat(call(handler(shapes, "none"), json)).containsExactly("called");
        assertThat(call(handler(shapes, "list"), "[" + json + "," + json + "]")).containsExactly("Ada", 2);
        assertThat(call(handler(shapes, "map"), "{\"x\": [" + json + "]}")).containsExactly(mail);
        assertThat(call(handler(shapes, "primitive"), "42")).containsExactly(42L);
        assertThat(call(handler(shapes, "context"), json)).containsExactly(CONTEXT);
        assertThat(call(handler(shapes, "context-first"), json)).containsExactly(CONTEXT, mail);
        assertThat(call(handler(shapes, "context-last"), json)).containsExactly(mail, CONTEXT);
    }

    abstract static class GenericBase<T> {
        @JobHandler("generic")
        void handle(T payload) {
            called(payload);
        }
    }

    static class GenericImplementation extends GenericBase<Mail> {}

    @Test
    void knowsThePayloadTypeThatASubclassGivesToAGenericHandler() {
        assertThat(call(handler(new GenericImplementation(), "generic"), "{\"to\": \"Ada\", \"copies\": 2}"))
                .containsExactly(new Mail("Ada", 2));
    }

    interface GenericInterface<T> {
        void handle(T payload);
    }

    static class BridgedImplementation implements GenericInterface<Mail> {
        @Override
        @JobHandler("bridged")
        public void handle(Mail payload) {
            called(payload);
        }
    }

    @Test
    void findsAHandlerWithABridgeMethodOnce() {
        assertThat(call(handler(new BridgedImplementation(), "bridged"), "{\"to\": \"Ada\", \"copies\": 2}"))
                .containsExactly(new Mail("Ada", 2));
    }

    @Test
    void whatTheHandlerThrowsIsThrownAsItIs() {
        class Thrower {
            @JobHandler("throw")
            void fail() throws Exception {
                throw new java.io.IOException("as it is");
            }
        }
        assertThatExceptionOfType(java.io.IOException.class)
                .isThrownBy(() -> handler(new Thrower(), "throw").invoke("1", QueueHarness.converter(), CONTEXT))
                .withMessage("as it is");
    }

    @Test
    void keepsWhatTheAnnotationDeclares() {
        class Declares {
            @JobHandler(
                    value = "all",
                    queue = "slow",
                    maxAttempts = 7,
                    lockTimeout = "90s",
                    timeout = "PT10M",
                    reapable = false,
                    transactional = true)
            void all() {}

            @JobHandler("nothing")
            void nothing() {}

            @JobHandler(value = "unlimited", timeout = "0")
            void unlimited() {}
        }
        assertThat(handler(new Declares(), "all"))
                .returns("slow", JobHandlerMethod::queue)
                .returns(7, JobHandlerMethod::maxAttempts)
                .returns(Duration.ofSeconds(90), JobHandlerMethod::lockTimeout)
                .returns(Duration.ofMinutes(10), JobHandlerMethod::timeout)
                .returns(false, JobHandlerMethod::reapable)
                .returns(true, JobHandlerMethod::transactional)
                .returns("Declares.all", JobHandlerMethod::location);
        assertThat(handler(new Declares(), "nothing"))
                .returns(null, JobHandlerMethod::queue)
                .returns(null, JobHandlerMethod::maxAttempts)
                .returns(null, JobHandlerMethod::lockTimeout)
                .returns(null, JobHandlerMethod::timeout)
                .returns(true, JobHandlerMethod::reapable)
                .returns(false, JobHandlerMethod::transactional);
        assertThat(handler(new Declares(), "unlimited").timeout()).isEqualTo(Duration.ZERO);
    }

    @Test
    @Tag("S9")
    void handlerDeclaredTwiceIsRefusedAndBothMethodsAreNamed() {
        class InvoiceJobs {
            @JobHandler("invoice.send")
            void send() {}
        }
        class LegacyJobs {
            @JobHandler("invoice.send")
            void send() {}
        }
        assertThatExceptionOfType(DuplicateJobHandlerException.class)
                .isThrownBy(() -> QueueHarness.registry(new InvoiceJobs(), new LegacyJobs())
                        .all())
                .withMessage(
                        "Handler 'invoice.send' is declared twice: InvoiceJobs.send and LegacyJobs.send. Give one of them another type.");
    }

    @Test
    @Tag("S9")
    void parameterTooManyIsRefused() {
        class TwoPayloads {
            @JobHandler("two")
            void two(Mail mail, String text) {}
        }
        class TwoContexts {
            @JobHandler("two")
            void two(TaskContext one, TaskContext two) {}
        }
        assertRefused(
                new TwoPayloads(),
                "Handler 'two' (TwoPayloads.two) has 2 parameters: expected a payload, a TaskContext, both, or none. Put all data into one payload record.");
        assertRefused(
                new TwoContexts(),
                "Handler 'two' (TwoContexts.two) has 2 parameters: expected a payload, a TaskContext, both, or none. Put all data into one payload record.");
    }

    static class StaticHandler {
        @JobHandler("static")
        static void run() {}
    }

    @Test
    @Tag("S9")
    void privateAndStaticMethodsAreRefused() {
        class PrivateHandler {
            @JobHandler("private")
            private void run() {}
        }
        assertRefused(
                new PrivateHandler(),
                "Handler 'private' (PrivateHandler.run) must not be private or static. Make it package-private.");
        assertRefused(
                new StaticHandler(),
                "Handler 'static' (StaticHandler.run) must not be private or static. Make it package-private.");
    }

    @Test
    @Tag("S9")
    void impossibleAttemptsAndNamesAreRefused() {
        class NoAttempt {
            @JobHandler(value = "a", maxAttempts = 0)
            void run() {}
        }
        class Blank {
            @JobHandler(" ")
            void run() {}
        }
        class LongQueue {
            @JobHandler(
                    value = "a",
                    queue =
                            "12345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901")
            void run() {}
        }
        assertRefused(
                new NoAttempt(),
                "Handler 'a' (NoAttempt.run): maxAttempts must be at least 1, or -1 for the default, but is 0.");
        assertThatExceptionOfType(InvalidJobHandlerException.class)
                .isThrownBy(() -> QueueHarness.registry(new Blank()).all())
                .withMessage(
                        "Expected the type of @JobHandler on Blank.run to have 1 to 200 characters, but it is blank.");
        assertThatExceptionOfType(InvalidJobHandlerException.class)
                .isThrownBy(() -> QueueHarness.registry(new LongQueue()).all())
                .withMessage(
                        "Expected the queue of @JobHandler on LongQueue.run to have 1 to 100 characters, but it has 101.");
    }

    @ParameterizedTest
    @CsvSource({"soon", "-5s", "10 parsecs", "PT", "5m5"})
    @Tag("S9")
    void badDurationsAreRefused(String text) {
        assertThatExceptionOfType(InvalidJobHandlerException.class)
                .isThrownBy(() -> scanWithProperty("timeout", text))
                .withMessage(
                        "Handler 'limited' (Limited.run): timeout must be a duration such as '30s', '10m' or 'PT1H' but is '%s' (declared as '${limited.timeout}').",
                        text);
    }

    @Test
    @Tag("S9")
    void lockTimeoutUnderASecondIsRefused() {
        class Hasty {
            @JobHandler(value = "hasty", lockTimeout = "999ms")
            void run() {}
        }
        assertRefused(new Hasty(), "Handler 'hasty' (Hasty.run): lockTimeout must be at least 1s but is '999ms'.");
    }

    @Test
    void placeholdersAreResolvedInQueueAndDurations() {
        JobHandlerMethod limited = scanWithProperty("timeout", "45s");
        assertThat(limited)
                .returns(Duration.ofSeconds(45), JobHandlerMethod::timeout)
                .returns(Duration.ofMinutes(2), JobHandlerMethod::lockTimeout)
                .returns("from-properties", JobHandlerMethod::queue);
    }

    static class Limited {
        @JobHandler(
                value = "limited",
                timeout = "${limited.timeout}",
                lockTimeout = "${limited.lock:2m}",
                queue = "${limited.queue:from-properties}")
        void run() {}
    }

    private static JobHandlerMethod scanWithProperty(String name, String value) {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            Properties properties = new Properties();
            properties.setProperty("limited." + name, value);
            context.registerBean(PropertySourcesPlaceholderConfigurer.class, () -> {
                PropertySourcesPlaceholderConfigurer configurer = new PropertySourcesPlaceholderConfigurer();
                configurer.setProperties(properties);
                return configurer;
            });
            context.registerBean(Limited.class);
            context.refresh();
            return new JobHandlerScanner(context.getBeanFactory())
                    .scan()
                    .iterator()
                    .next();
        }
    }

    private static void assertRefused(Object bean, String message) {
        assertThatExceptionOfType(InvalidJobHandlerException.class)
                .isThrownBy(() -> QueueHarness.registry(bean).all())
                .withMessage(message);
    }

    // proxied beans

    static class Transactions extends AbstractPlatformTransactionManager {
        private static final long serialVersionUID = 1L;

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true)
    static class ByClass {
        @Bean
        Transactions transactions() {
            return new Transactions();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class ByInterface {
        @Bean
        Transactions transactions() {
            return new Transactions();
        }
    }

    static class ProxiedHandler {
        private final String field = "field";

        @Transactional
        @JobHandler("proxied")
        void run(Mail mail) {
            called(field, mail.to(), TransactionSynchronizationManager.isActualTransactionActive());
        }
    }

    @Test
    void packagePrivateMethodOfAClassProxyIsCalledThroughTheProxy() {
        try (var context = new AnnotationConfigApplicationContext(ByClass.class, ProxiedHandler.class)) {
            assertThat(AopUtils.isCglibProxy(context.getBean(ProxiedHandler.class)))
                    .isTrue();
            assertThat(call(only(context), "{\"to\": \"Ada\", \"copies\": 2}")).containsExactly("field", "Ada", true);
        }
    }

    static class FinalHandler {
        private final String field = "field";

        @Transactional
        void makesItProxied() {}

        @JobHandler("final")
        final void run() {
            called(field);
        }
    }

    /** A final method would run on the proxy itself, whose fields are all empty. */
    @Test
    void finalMethodOfAClassProxyIsRefused() {
        try (var context = new AnnotationConfigApplicationContext(ByClass.class, FinalHandler.class)) {
            assertThatExceptionOfType(InvalidJobHandlerException.class)
                    .isThrownBy(() -> only(context))
                    .withMessage(
                            "Handler 'final' (FinalHandler.run) cannot be reached: its bean is a proxy and the method is final. Remove final.");
        }
        assertThat(call(handler(new FinalHandler(), "final"), "1")).containsExactly("field");
    }

    interface Sender {
        void send(Mail mail);
    }

    static class InterfaceHandler implements Sender {
        @Override
        @Transactional
        @JobHandler("by-interface")
        public void send(Mail mail) {
            called(mail.to(), TransactionSynchronizationManager.isActualTransactionActive());
        }
    }

    @Test
    void methodOfTheInterfaceIsCalledThroughTheInterfaceProxy() {
        try (var context = new AnnotationConfigApplicationContext(ByInterface.class, InterfaceHandler.class)) {
            assertThat(AopUtils.isJdkDynamicProxy(context.getBean(Sender.class)))
                    .isTrue();
            assertThat(call(only(context), "{\"to\": \"Ada\", \"copies\": 2}")).containsExactly("Ada", true);
        }
    }

    static class HiddenHandler implements Sender {
        @Override
        @Transactional
        public void send(Mail mail) {}

        @JobHandler("hidden")
        public void run() {}
    }

    @Test
    @Tag("S9")
    void methodThatAnInterfaceProxyHidesIsRefused() {
        try (var context = new AnnotationConfigApplicationContext(ByInterface.class, HiddenHandler.class)) {
            assertThatExceptionOfType(InvalidJobHandlerException.class)
                    .isThrownBy(() -> only(context))
                    .withMessage(
                            "Handler 'hidden' (HiddenHandler.run) cannot be reached: its bean is a JDK proxy without that method. Declare the method in the bean's interface, or let the bean be proxied by class (spring.aop.proxy-target-class=true).");
        }
    }

    interface AnnotatedSender {
        @JobHandler("annotated")
        void send(Mail mail);
    }

    static class AnnotatedImplementation implements AnnotatedSender {
        @Override
        @Transactional
        public void send(Mail mail) {
            called(mail.to());
        }
    }

    @Test
    void annotationOnTheInterfaceCountsOnce() {
        try (var context = new AnnotationConfigApplicationContext(ByInterface.class, AnnotatedImplementation.class)) {
            assertThat(call(only(context), "{\"to\": \"Ada\", \"copies\": 2}")).containsExactly("Ada");
        }
    }

    @Scope(value = BeanDefinition.SCOPE_PROTOTYPE, proxyMode = ScopedProxyMode.TARGET_CLASS)
    static class ScopedHandler {
        private static int made;

        ScopedHandler() {
            made++;
        }

        @JobHandler("scoped")
        void run() {
            called(made);
        }
    }

    @Test
    void scopedBeanIsFoundOnceAndAskedForAtEachCall() {
        try (var context = new AnnotationConfigApplicationContext(ScopedHandler.class)) {
            JobHandlerMethod handler = only(context);
            Object first = call(handler, "1").get(0);
            assertThat(call(handler, "1").get(0)).isNotEqualTo(first);
        }
    }

    @Lazy
    static class LazyHandler {
        static boolean made;

        LazyHandler() {
            made = true;
        }

        @JobHandler("lazy")
        void run() {
            called("lazy");
        }
    }

    @Test
    void scanningMakesNoBean() {
        LazyHandler.made = false;
        try (var context = new AnnotationConfigApplicationContext(LazyHandler.class)) {
            JobHandlerMethod handler = only(context);
            assertThat(LazyHandler.made).isFalse();
            assertThat(call(handler, "1")).containsExactly("lazy");
        }
    }

    private static JobHandlerMethod only(AnnotationConfigApplicationContext context) {
        ObjectProvider<JobHandlerRegistry> none = context.getBeanProvider(JobHandlerRegistry.class);
        assertThat(none.getIfAvailable()).isNull();
        var found = new JobHandlerScanner(context.getBeanFactory()).scan();
        assertThat(found).hasSize(1);
        return found.iterator().next();
    }
}
