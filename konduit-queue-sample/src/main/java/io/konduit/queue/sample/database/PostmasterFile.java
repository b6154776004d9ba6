package io.konduit.queue.sample.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The file in which a running PostgreSQL records its process id and port. It survives a crash of the machine. */
record PostmasterFile(Path path, long pid, int port) {
    private static final int PID_LINE = 0;
    private static final int PORT_LINE = 3;

    static Optional<PostmasterFile> in(Path data) throws IOException {
        Path path = data.resolve("postmaster.pid");
        if (!Files.exists(path)) {
            return Optional.empty();
        }
        List<String> lines = Files.readAllLines(path);
        if (lines.size() <= PORT_LINE) {
            return Optional.empty();
        }
        try {
            return Optional.of(new PostmasterFile(
                    path,
                    Long.parseLong(lines.get(PID_LINE).strip()),
                    Integer.parseInt(lines.get(PORT_LINE).strip())));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** The process, if it is alive and not another program that has since been given the same id. */
    Optional<ProcessHandle> process() {
        return ProcessHandle.of(pid)
                .filter(ProcessHandle::isAlive)
                .filter(process ->
                        process.info().command().map(PostmasterFile::isPostgres).orElse(true));
    }

    private static boolean isPostgres(String command) {
        return Path.of(command).getFileName().toString().startsWith("postgres");
    }
}
