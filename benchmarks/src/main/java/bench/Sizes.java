package bench;

import java.util.ArrayList;
import java.util.List;

/** How much is done: a quick run only shows that everything still runs. */
record Sizes(
        int repetitions,
        int warmUpSeconds,
        int enqueueJobs,
        int bulkJobs,
        int handlerJobs,
        int latencyJobs,
        int steadySeconds,
        int bigBacklog,
        int passingJobs,
        int processJobs,
        int idleSettleSeconds,
        int idleWindowSeconds,
        int orphans) {
    static final boolean QUICK = Boolean.getBoolean("quick");

    /** How every JVM is started: a quick run saves the time to compile well. */
    static List<String> jvmOptions() {
        List<String> options = new ArrayList<>(
                QUICK
                        ? List.of("-Dquick=true", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
                        : List.of("-Dquick=false"));
        String more = System.getenv().getOrDefault("BENCH_JVM_OPTIONS", "").trim();
        if (!more.isEmpty()) options.addAll(List.of(more.split("\\s+")));
        return options;
    }

    static Sizes current() {
        return QUICK
                ? new Sizes(1, 1, 500, 10_000, 1_000, 20, 3, 50_000, 10_000, 5_000, 2, 4, 5_000)
                : new Sizes(3, 12, 20_000, 100_000, 16_000, 500, 20, 1_000_000, 500_000, 100_000, 20, 60, 100_000);
    }

    /** Slow systems have few jobs to drain anyway. */
    int drainJobs(Peer peer) {
        return QUICK ? Math.min(2_000, peer.drainJobs()) : peer.drainJobs();
    }
}
