package bench;

import bench.Peer.Profile;
import bench.peers.DbScheduler;
import bench.peers.JobRunrPeer;
import bench.peers.Konduit;
import bench.peers.QuartzPeer;
import bench.peers.RawSql;

/** {@code Bench <system|class> <workload> [profile] [args]}: one workload of one system in one JVM. */
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
        try {
            var lab = new Lab(peer(a[0]), a[0]);
            run(lab, a[1], a.length > 2 ? Profile.valueOf(a[2]) : Profile.DEFAULT, a);
            System.exit(0);
        } catch (Throwable e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    private static void run(Lab lab, String workload, Profile profile, String[] a) throws Exception {
        switch (workload) {
            case "enqueue_single" -> new EnqueueWorkloads(lab).single();
            case "enqueue_bulk" -> new EnqueueWorkloads(lab).bulk();
            case "drain_noop" -> new DrainWorkloads(lab).noop();
            case "drain_5ms" -> new DrainWorkloads(lab).fiveMillis();
            case "drain_scaling" -> new DrainWorkloads(lab).scaling(Boolean.getBoolean("huge"));
            case "future_tasks" -> new DrainWorkloads(lab).future();
            case "open_transaction" -> new DrainWorkloads(lab).openTransaction();
            case "pickup_latency" -> new LatencyWorkloads(lab).pickup(profile);
            case "same_load" -> new SameLoadWorkload(lab).run();
            case "steady" -> new LatencyWorkloads(lab).steady();
            case "processes" -> new ProcessWorkloads(lab).several();
            case "crash_recovery" -> new ProcessWorkloads(lab).crash(profile);
            case "idle" -> new RestingWorkloads(lab).idle(profile);
            case "memory" -> new RestingWorkloads(lab).memory();
            case "starter" -> new StarterWorkloads(lab).all();
            case "notify" -> new EnqueueWorkloads(lab).listeners();
            case "reclaim" -> new RestingWorkloads(lab).reclaim();
            case "history" -> new HistoryWorkload(lab).run();
            case "schedules" -> new ScheduleWorkloads(lab).firings();
            case "profile" -> new ProfileWorkloads(lab).all();
            // in processes of their own, for the workloads above
            case "producer" -> new Roles(lab).producer(profile);
            case "worker" -> new Roles(lab).worker(profile, Integer.parseInt(a[3]));
            case "crash_worker" -> new Roles(lab).crashWorker(profile, a[3], Long.parseLong(a[4]));
            default -> throw new IllegalArgumentException(workload);
        }
    }
}
