package bench;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another JVM of the same system that does what it is asked for, line by line. */
final class Child implements AutoCloseable {
    static final String MARK = "@";

    private final Process process;
    private final BufferedWriter to;
    private final BufferedReader from;

    private Child(Process process) {
        this.process = process;
        this.to = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
        this.from = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** One that was started otherwise. */
    static Child of(Process process) {
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        return new Child(process);
    }

    /** Starts it and waits until it is up. Times of both processes must be of one clock: that is checked here. */
    static Child start(Lab lab, String role, String... arguments) throws Exception {
        Child child = new Child(spawn(lab, role, arguments));
        child.read();
        long before = System.nanoTime();
        long there = Long.parseLong(child.ask("time"));
        long after = System.nanoTime();
        if (there < before || there > after) {
            child.close();
            throw new IllegalStateException("System.nanoTime() of two processes does not agree on this machine.");
        }
        return child;
    }

    static Process spawn(Lab lab, String role, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                "-Xmx512m",
                "-Ddb=" + System.getProperty("db", lab.peerName),
                "-Dpg=" + System.getProperty("pg"),
                "-cp",
                System.getProperty("java.class.path"),
                "bench.Bench",
                lab.peerName,
                role));
        command.addAll(1, Sizes.jvmOptions());
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        return process;
    }

    String ask(String question) throws IOException {
        tell(question);
        return read();
    }

    void tell(String command) throws IOException {
        to.write(command);
        to.newLine();
        to.flush();
    }

    String read() throws IOException {
        for (String line; (line = from.readLine()) != null; ) {
            if (line.startsWith(MARK)) return line.substring(MARK.length());
        }
        throw new IOException("The other process has ended.");
    }

    @Override
    public void close() throws Exception {
        to.close();
        if (!process.waitFor(10, TimeUnit.SECONDS)) process.destroyForcibly().waitFor();
    }
}
