package bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** The machine the run is on, from /proc. */
final class Machine {
    private static final int QUIET_PERCENT = 12;
    private static final Pattern JAR = Pattern.compile(
            "(konduit-queue-core|db-scheduler|jobrunr|quartz|postgresql|HikariCP|spring-boot)-(\\d[\\w.-]*)\\.jar");

    private Machine() {}

    static Map<String, Object> describe() throws IOException {
        Map<String, Object> machine = new LinkedHashMap<>();
        machine.put("cores", Runtime.getRuntime().availableProcessors());
        machine.put("cpu", first("/proc/cpuinfo", "model name"));
        machine.put(
                "memory", Long.parseLong(first("/proc/meminfo", "MemTotal").replaceAll("\\D", "")) / 1_000_000 + " GB");
        machine.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        machine.put("java", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
        return machine;
    }

    private static String first(String file, String key) throws IOException {
        return Files.readAllLines(Path.of(file)).stream()
                .filter(line -> line.startsWith(key))
                .map(line -> line.substring(line.indexOf(':') + 1).trim())
                .findFirst()
                .orElse("unknown");
    }

    /** The versions on the class path. */
    static Map<String, Object> versions() {
        Map<String, Object> versions = new LinkedHashMap<>();
        Arrays.stream(System.getProperty("java.class.path").split(System.getProperty("path.separator")))
                .map(path -> JAR.matcher(Path.of(path).getFileName().toString()))
                .filter(java.util.regex.Matcher::matches)
                .sorted(java.util.Comparator.comparing(jar -> jar.group(1)))
                .forEach(jar -> versions.put(jar.group(1), jar.group(2)));
        if (!System.getProperty("commit", "").isEmpty()) versions.put("commit", System.getProperty("commit"));
        return versions;
    }

    /** Waits, but not for long, until others leave the machine alone; returns how busy it is, in percent. */
    static int awaitQuiet(int seconds) throws Exception {
        int busy = busy();
        for (int waited = 2; busy > QUIET_PERCENT && waited < seconds; waited += 2) busy = busy();
        return busy;
    }

    private static int busy() throws Exception {
        long[] a = ticks();
        Thread.sleep(2_000);
        long[] b = ticks();
        long total = Arrays.stream(b).sum() - Arrays.stream(a).sum();
        long idle = b[3] + b[4] - a[3] - a[4];
        return (int) (100 - 100 * idle / Math.max(1, total));
    }

    private static long[] ticks() throws IOException {
        String[] fields =
                Files.readAllLines(Path.of("/proc/stat")).get(0).trim().split("\\s+");
        return Arrays.stream(fields, 1, 9).mapToLong(Long::parseLong).toArray();
    }
}
