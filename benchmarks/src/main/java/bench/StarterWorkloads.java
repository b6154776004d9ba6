package bench;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a starter adds to the same Spring Boot application: time to start, resident memory, heap. */
final class StarterWorkloads {
    /** The application without any of them is measured as the system that needs no starter. */
    private static final Map<String, String> STARTERS = Map.of(
            "raw-sql",
            "none",
            "konduit",
            "konduit",
            "db-scheduler-lock",
            "db-scheduler",
            "jobrunr",
            "jobrunr",
            "quartz",
            "quartz");

    private static final int JOBS = Sizes.QUICK ? 50 : 3_000;
    private static final int STARTS = Sizes.QUICK ? 1 : 7;

    private final Lab lab;
    private final String starter;

    StarterWorkloads(Lab lab) {
        this.lab = lab;
        this.starter = STARTERS.get(lab.peerName);
    }

    void all() throws Exception {
        lab.peer.createSchema(lab.admin);
        // the first start creates tables
        try (Child first = start()) {
            first.read();
        }
        List<Double> seconds = new ArrayList<>();
        for (int i = 0; i < STARTS; i++) {
            try (Child child = start()) {
                seconds.add(Double.parseDouble(child.read()) / 1000);
            }
        }
        lab.line(
                "starter",
                "start",
                seconds.stream().mapToDouble(Double::doubleValue).toArray(),
                "s");
        try (Child child = start()) {
            child.read();
            Thread.sleep(lab.sizes.idleSettleSeconds() * 1000L);
            use("idle", child.ask("use"));
            String done = child.ask("jobs " + JOBS);
            use("after " + JOBS + " jobs", child.ask("use"));
            if (!done.equals("done")) lab.line("starter", "jobs", JOBS, "jobs", "note", done);
        }
    }

    private void use(String when, String answer) {
        String[] values = answer.split(" ");
        lab.line("starter", when + ", resident", Double.parseDouble(values[0]), "MB");
        lab.line("starter", when + ", heap after GC", Double.parseDouble(values[1]), "MB");
    }

    private Child start() throws Exception {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                "-Xmx512m",
                "-cp",
                System.getProperty("java.class.path"),
                "bench.StarterApp",
                starter,
                lab.admin.getMetaData().getURL()));
        command.addAll(1, Sizes.jvmOptions());
        return Child.of(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }
}
