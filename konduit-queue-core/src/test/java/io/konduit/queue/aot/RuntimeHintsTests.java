package io.konduit.queue.aot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskType;
import io.konduit.queue.schema.QuietFlyway;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.javapoet.ClassName;

/** What ahead-of-time processing of an application with the queue registers for a native image. */
@Tag("S17")
class RuntimeHintsTests {

    record Mail(String to, Attachment attachment) {}

    sealed interface Attachment permits Picture, Text {}

    record Picture(byte[] bytes) implements Attachment {}

    record Text(String text) implements Attachment {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes(@JsonSubTypes.Type(Cash.class))
    interface Pay {}

    record Cash(int cents) implements Pay {}

    record Untouched(String text) {}

    static class MailJobs {
        @JobHandler("mail")
        void send(Mail mail, TaskContext task) {}

        @JobHandler("pay")
        void pay(Map<String, List<Pay>> pays) {}

        @JobHandler("tick")
        void tick() {}

        void helper(Untouched untouched) {}
    }

    private static RuntimeHints process() {
        GenericApplicationContext context = new GenericApplicationContext();
        context.registerBean("mailJobs", MailJobs.class);
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get("test", "Application")), new InMemoryGeneratedFiles());
        new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        return generation.getRuntimeHints();
    }

    @Test
    void handlerMethodsCanBeInvoked() throws NoSuchMethodException {
        RuntimeHints hints = process();
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(MailJobs.class.getDeclaredMethod("send", Mail.class, TaskContext.class)))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(MailJobs.class.getDeclaredMethod("pay", Map.class)))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(MailJobs.class.getDeclaredMethod("tick")))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(MailJobs.class.getDeclaredMethod("helper", Untouched.class)))
                .rejects(hints);
    }

    @Test
    void payloadsAndTheirSubtypesCanBeReadAndWritten() {
        RuntimeHints hints = process();
        for (Class<?> payload :
                List.of(Mail.class, Picture.class, Text.class, Cash.class, Attachment.class, Pay.class)) {
            assertThat(RuntimeHintsPredicates.reflection().onType(payload))
                    .as(payload.getName())
                    .accepts(hints);
        }
        for (Class<?> created : List.of(Mail.class, Picture.class, Text.class, Cash.class)) {
            assertThat(RuntimeHintsPredicates.reflection()
                            .onConstructorInvocation(created.getDeclaredConstructors()[0]))
                    .as(created.getName())
                    .accepts(hints);
            assertThat(RuntimeHintsPredicates.reflection()
                            .onMethodInvocation(created.getRecordComponents()[0].getAccessor()))
                    .as(created.getName())
                    .accepts(hints);
        }
        assertThat(RuntimeHintsPredicates.reflection().onType(Untouched.class)).rejects(hints);
    }

    @Test
    void everyStatementAndMigrationIsAResource() {
        RuntimeHints hints = process();
        List<String> files = Stream.of("store", "db")
                .flatMap(folder -> sql(folder).stream().map(name -> "io/konduit/queue/" + folder + "/" + name))
                .toList();
        assertThat(files).hasSizeGreaterThan(50).allSatisfy(file -> assertThat(
                        RuntimeHintsPredicates.resource().forResource(file))
                .accepts(hints));
    }

    private static List<String> sql(String folder) {
        try {
            return Stream.of(new PathMatchingResourcePatternResolver()
                            .getResources("classpath*:io/konduit/queue/" + folder + "/*.sql"))
                    .map(Resource::getFilename)
                    .toList();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The worker registers with it. */
    @Test
    void theVersionCanBeRead() {
        assertThat(RuntimeHintsPredicates.resource().forResource("io/konduit/queue/worker/version.properties"))
                .accepts(process());
    }

    /** Flyway makes its log by the name of the class. */
    @Test
    void theLogOfTheMigrationsCanBeMade() {
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(QuietFlyway.class)
                        .withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS))
                .accepts(process());
    }

    @TaskType("letter")
    record Letter(Stamp stamp) {}

    record Stamp(int cents) {}

    /** For an application that only sends: no handler names its payloads. */
    @Test
    @Tag("V3")
    void typedPayloadIsRegisteredWhereItsPackageIsScanned() {
        RuntimeHints hints = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, Letter.class);
        assertThat(RuntimeHintsPredicates.reflection().onType(Letter.class)).accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(Stamp.class)).accepts(hints);
    }
}
