package io.konduit.queue.sample;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.stereotype.Component;

/** A second process of this application on the same database, to be killed in the middle of its work. */
@Component
class SecondWorker implements DisposableBean {
    private static final Logger log = LoggerFactory.getLogger(SecondWorker.class);

    private final JdbcConnectionDetails database;
    private @Nullable Process process;

    SecondWorker(JdbcConnectionDetails database) {
        this.database = database;
    }

    /** Starts it, unless it runs. It is ready after some seconds. */
    synchronized long start() throws IOException {
        Process running = process;
        if (running == null || !running.isAlive()) {
            ProcessBuilder builder = new ProcessBuilder(command())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.INHERIT);
            // not as arguments, which everybody on the machine can read
            builder.environment().put("SPRING_DATASOURCE_USERNAME", Objects.toString(database.getUsername(), ""));
            builder.environment().put("SPRING_DATASOURCE_PASSWORD", Objects.toString(database.getPassword(), ""));
            running = builder.start();
            process = running;
            log.info("Started a second worker: process {}", running.pid());
        }
        return running.pid();
    }

    /** As {@code kill -9} does: it cannot give its tasks back. False if there is none. */
    synchronized boolean kill() {
        Process running = process;
        if (running == null || !running.isAlive()) {
            return false;
        }
        running.destroyForcibly();
        log.info("Killed the second worker: process {}", running.pid());
        return true;
    }

    @Override
    public void destroy() {
        kill();
    }

    private List<String> command() {
        String classPath = System.getProperty("java.class.path");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (!classPath.contains(File.pathSeparator) && classPath.endsWith(".jar")) {
            command.addAll(List.of("-jar", classPath));
        } else {
            command.addAll(List.of("-cp", classPath, SampleApplication.class.getName()));
        }
        command.addAll(List.of(
                "--spring.main.web-application-type=none",
                "--spring.application.name=second-worker",
                "--sample.stops-with-parent=true",
                "--spring.datasource.url=" + database.getJdbcUrl()));
        return command;
    }
}
