package io.konduit.queue.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.test.TestDatabase;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.jdbc.core.simple.JdbcClient;

/** An application is processed ahead of time, as the plugins of Boot do it, and started from what came of it. */
@Tag("S17")
@Timeout(240)
@EnabledOnOs({OS.LINUX, OS.MAC})
class AheadOfTimeTests {
    @TempDir
    Path folder;

    @Test
    void applicationStartedFromWhatWasProcessedRunsTasks() throws IOException {
        try (TestDatabase database = TestDatabase.create()) {
            List<String> arguments = StandaloneJvm.arguments(database.jdbcUrl());
            process(arguments);
            assertThat(compile()).as("what the compiler says").isEmpty();
            List<String> command = new ArrayList<>(List.of(StandaloneApplication.class.getName()));
            command.addAll(arguments);
            String processed =
                    folder.resolve("classes") + File.pathSeparator + folder.resolve("resources") + File.pathSeparator;
            try (StandaloneJvm application =
                    StandaloneJvm.run(processed, List.of("-Dspring.aot.enabled=true"), command)) {
                application.awaitLine("ready");
                JdbcClient.create(database.dataSource())
                        .sql("insert into konduit_task (queue, type, payload, priority, status, run_at, created_at)"
                                + " select 'default', type, to_jsonb('Ada'::text), 2, 'PENDING',"
                                + " clock_timestamp(), clock_timestamp() from unnest(array['greet', 'part']) as type")
                        .update();
                application.awaitLine("hello Ada").awaitLine("goodbye Ada");
                assertThat(application.output()).contains("AOT-processed");
            }
        }
    }

    private void process(List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                SpringApplicationAotProcessor.class.getName(),
                StandaloneApplication.class.getName(),
                folder.resolve("sources").toString(),
                folder.resolve("resources").toString(),
                folder.resolve("classes").toString(),
                "io.konduit",
                "standalone"));
        command.addAll(arguments);
        try (StandaloneJvm processor = StandaloneJvm.run("", List.of(), command)) {
            int code = processor.exitCode();
            assertThat(code).as(processor.output()).isZero();
        }
        assertThat(folder.resolve("sources")).isNotEmptyDirectory();
    }

    /** What the compiler says, if it says something. */
    private String compile() throws IOException {
        Files.createDirectories(folder.resolve("classes"));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter output = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
                Stream<Path> sources = Files.walk(folder.resolve("sources"))) {
            List<Path> all =
                    sources.filter(file -> file.toString().endsWith(".java")).toList();
            boolean compiled = compiler.getTask(
                            output,
                            files,
                            null,
                            List.of(
                                    "-parameters",
                                    "-proc:none",
                                    "-nowarn",
                                    "-Xlint:none",
                                    "-cp",
                                    folder.resolve("classes")
                                            + File.pathSeparator
                                            + System.getProperty("java.class.path"),
                                    "-d",
                                    folder.resolve("classes").toString()),
                            null,
                            files.getJavaFileObjectsFromPaths(all))
                    .call();
            return compiled ? "" : output.toString();
        }
    }
}
