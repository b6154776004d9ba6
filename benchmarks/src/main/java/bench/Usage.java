package bench;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Processor time of this JVM and of the server, idle time of the machine, and WAL so far. */
record Usage(double jvmMicros, double serverMicros, double idleMicros, long wal) {
    private static final double TICK_MICROS = 10_000;

    /** Ticks of 10 ms, which is what /proc counts in. Server processes that have ended since are not in it. */
    static Usage now(Lab lab) throws IOException {
        long jvm = 0, server = 0;
        String self = Long.toString(ProcessHandle.current().pid());
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                try {
                    String stat = Files.readString(process.resolve("stat"));
                    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
                    long ticks = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
                    if (process.getFileName().toString().equals(self)) jvm = ticks;
                    else if (stat.contains("(postgres)")) server += ticks;
                } catch (IOException e) {
                    continue; // it has ended
                }
            }
        }
        String[] cpu = Files.readAllLines(Path.of("/proc/stat")).get(0).trim().split("\\s+");
        long idle = Long.parseLong(cpu[4]) + Long.parseLong(cpu[5]);
        return new Usage(
                jvm * TICK_MICROS,
                server * TICK_MICROS,
                idle * TICK_MICROS,
                lab.query("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn"));
    }
}
