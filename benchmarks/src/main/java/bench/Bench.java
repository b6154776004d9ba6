package bench;

import bench.Peer.Profile;
import bench.peers.DbScheduler;
import bench.peers.JobRunrPeer;
import bench.peers.Konduit;
import bench.peers.QuartzPeer;
import bench.peers.RawSql;

/** {@code Bench <peer|class> <workload> [profile] [args]}: one workload of one system in one JVM. */
public final class Bench {

    static Peer peer(String name) throws Exception {
        return switch (name) {
            case "raw-sql" -> new RawSql();
            case "konduit" -> new Konduit();
            case "db-scheduler-fetch" -> new DbScheduler(false);
            case "db-scheduler-lock" -> new DbScheduler(true);
            case "jobrunr" -> new JobRunrPeer();
            case "quartz" -> new QuartzPeer();
            default -> (Peer) Class.forName(name).getDeclaredConstructor().newInstance();
        };
    }

    public static void main(String[] a) throws Exception {
        Peer peer = peer(a[0]);
        if (a[1].equals("raw_limit")) {
            RawLimit.run(a[2]);
            return;
        }
        Profile profile = a.length > 2 ? Profile.valueOf(a[2]) : Profile.DEFAULT;
        var w = new Workloads(peer, a[0]);
        switch (a[1]) {
            case "enqueue_single" -> w.enqueueSingle();
            case "enqueue_bulk" -> w.enqueueBulk();
            case "drain_noop" -> w.drainNoop();
            case "drain_scaling" -> w.drainScaling();
            case "pickup_latency" -> w.pickupLatency(profile, a[3].equals("local"));
            case "crash_recovery" -> w.crashRecovery(profile);
            case "crash_worker" -> w.crashWorker(profile, a[3], Long.parseLong(a[4]));
            case "idle_load" -> w.idleLoad(profile);
            default -> throw new IllegalArgumentException(a[1]);
        }
        System.exit(0);
    }
}
