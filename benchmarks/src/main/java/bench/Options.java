package bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line. */
record Options(
        boolean quick,
        boolean full,
        boolean publish,
        boolean waitForQuiet,
        int rounds,
        int minutes,
        List<String> systems,
        List<String> workloads,
        List<Path> reportOf) {

    static Options parse(String[] arguments) {
        boolean quick = false, full = false, publish = false, wait = true, report = false;
        int rounds = 1, minutes = 120;
        List<String> systems = List.of(), workloads = new ArrayList<>();
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--quick" -> {
                    quick = true;
                    wait = false;
                }
                case "--full" -> {
                    full = true;
                    minutes = Math.max(minutes, 180);
                }
                case "--publish" -> publish = true;
                case "--no-wait" -> wait = false;
                case "--report" -> report = true;
                case "--rounds" -> rounds = Integer.parseInt(arguments[++i]);
                case "--minutes" -> minutes = Integer.parseInt(arguments[++i]);
                case "--systems" -> systems = List.of(arguments[++i].split(","));
                default -> {
                    if (arguments[i].startsWith("-")) throw new IllegalArgumentException("Unknown: " + arguments[i]);
                    if (report) files.add(Path.of(arguments[i]));
                    else workloads.add(arguments[i]);
                }
            }
        }
        return new Options(quick, full, publish, wait, rounds, minutes, systems, workloads, files);
    }
}
