package bench;

import bench.Peer.Profile;
import bench.Plan.Run;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The one command: starts the server, runs each system in JVMs of its own, writes figures and report. */
public final class Suite {
    private static final int RUN_LIMIT_MINUTES = 20;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Options options;
    private final Path home = Path.of(System.getProperty("home", "."));
    private final Path results;
    private final Path log;
    private final List<String> problems = new ArrayList<>();
    private final long deadline;

    private Suite(Options options) throws IOException {
        this.options = options;
        String stamp = DateTimeFormatter.ofPattern("yyyy-MM-dd-HHmmss").format(LocalDateTime.now());
        Files.createDirectories(home.resolve("results"));
        this.results = home.resolve("results").resolve(stamp + (options.quick() ? "-quick" : "") + ".jsonl");
        this.log = home.resolve("results").resolve(stamp + ".log");
        this.deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(options.minutes());
    }

    public static void main(String[] arguments) throws Exception {
        Options options = Options.parse(arguments);
        if (!options.reportOf().isEmpty()) {
            Page.publish(
                    Path.of(System.getProperty("home", ".")).resolve("../docs").normalize(), options.reportOf());
            return;
        }
        new Suite(options).run();
        System.exit(0);
    }

    private void run() throws Exception {
        Map<String, List<Run>> plan = Plan.workloads(options.quick());
        Set<String> chosen = options.workloads().isEmpty() ? plan.keySet() : new LinkedHashSet<>(options.workloads());
        for (String name : chosen) {
            if (!plan.containsKey(name))
                throw new IllegalArgumentException("Workload '" + name + "' is not one of " + plan.keySet());
        }
        try (Server server = new Server(home.resolve("target/postgres").toAbsolutePath())) {
            write(header(server));
            for (int round = 0; round < options.rounds(); round++) {
                for (String name : chosen) {
                    runAll(
                            plan.get(name).stream()
                                    .filter(run -> options.systems().isEmpty()
                                            || options.systems().contains(run.system()))
                                    .toList(),
                            server);
                }
            }
        }
        problems.forEach(System.err::println);
        Path report = home.resolve("results").resolve("report");
        Page.write(report, List.of(results));
        System.out.println(Files.readString(report.resolve("benchmarks.md")));
        boolean everything = options.workloads().isEmpty() && options.systems().isEmpty() && !options.quick();
        if (everything && !problems.isEmpty()) {
            System.out.println("Not everything ran, so the documentation is as it was: see --report.");
        }
        if (everything && problems.isEmpty() || options.publish()) {
            Page.publish(home.resolve("../docs").normalize(), List.of(results));
        }
        System.out.println("Figures: " + results + ", report: " + report);
    }

    private Map<String, Object> header(Server server) throws Exception {
        Map<String, Object> header = new LinkedHashMap<>();
        header.put("date", LocalDateTime.now().toLocalDate().toString());
        header.put("mode", options.quick() ? "quick" : options.full() ? "full" : "normal");
        header.put("machine", Machine.describe());
        header.put("versions", Machine.versions());
        header.put("postgres", server.settings());
        Map<String, Object> systems = new LinkedHashMap<>();
        for (String system : Plan.SYSTEMS) {
            Map<String, Object> profiles = new LinkedHashMap<>();
            for (Profile profile : List.of(Profile.DEFAULT, Profile.THROUGHPUT, Profile.LATENCY, Profile.RECOVERY))
                profiles.put(profile.name().toLowerCase(), Bench.peer(system).describe(profile));
            systems.put(system, profiles);
        }
        header.put("systems", systems);
        return Map.of("header", header);
    }

    /** Runs of one group together, all others one after another. */
    private void runAll(List<Run> runs, Server server) throws Exception {
        Map<String, List<Run>> groups = new LinkedHashMap<>();
        for (Run run : runs)
            groups.computeIfAbsent(run.group().isEmpty() ? run.toString() : run.group(), k -> new ArrayList<>())
                    .add(run);
        for (List<Run> group : groups.values()) {
            int busy = options.waitForQuiet() ? Machine.awaitQuiet(20) : -1;
            List<Thread> threads = group.stream()
                    .map(run -> new Thread(() -> one(run, server, busy)))
                    .toList();
            threads.forEach(Thread::start);
            for (Thread thread : threads) thread.join();
        }
    }

    private void one(Run run, Server server, int busy) {
        try {
            if (System.nanoTime() > deadline) {
                problem("SKIPPED, out of time: " + run);
                return;
            }
            List<String> command = new ArrayList<>(List.of(
                    System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                    run.workload().equals("memory") ? "-Xmx512m" : "-Xmx2g",
                    "-Dbusy=" + busy,
                    "-Dhuge=" + options.full(),
                    "-Dpg=" + server.address(),
                    "-Ddb=" + run.database(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    "bench.Bench",
                    run.system(),
                    run.workload()));
            command.addAll(1, Sizes.jvmOptions());
            command.addAll(run.arguments());
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            Thread hook = new Thread(() -> end(process));
            Runtime.getRuntime().addShutdownHook(hook);
            Thread limit = new Thread(() -> {
                try {
                    if (!process.waitFor(RUN_LIMIT_MINUTES, TimeUnit.MINUTES)) end(process);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            limit.setDaemon(true);
            limit.start();
            try (var out =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line; (line = out.readLine()) != null; ) {
                    if (line.startsWith("{")) write(JSON.readValue(line, Map.class));
                }
            }
            if (process.waitFor() != 0) problem("FAILED: " + run + ", see " + log);
            Runtime.getRuntime().removeShutdownHook(hook);
            Db.drop(server.address(), run.database());
        } catch (Exception e) {
            problem("FAILED: " + run + ": " + e);
        }
    }

    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    private synchronized void problem(String text) {
        problems.add(text);
        System.err.println(text);
    }

    private synchronized void write(Map<?, ?> line) throws IOException {
        String json = JSON.writeValueAsString(line);
        if (!line.containsKey("header")) System.out.println(json);
        Files.writeString(results, json + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
