package bench;

import bench.Peer.Producer;
import bench.Peer.Profile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Several worker processes: what they do together, and what becomes of the work of one that is killed. */
final class ProcessWorkloads {
    private static final int CRASH_JOBS = 100;

    private final Lab lab;
    private final Peer peer;

    ProcessWorkloads(Lab lab) {
        this.lab = lab;
        this.peer = lab.peer;
    }

    /** 1, 2 and 4 processes with 16 slots each; every job must run exactly once over all of them. */
    void several() throws Exception {
        peer.createSchema(lab.admin);
        for (int processes : Sizes.QUICK ? new int[] {1, 2} : new int[] {1, 2, 4}) several(processes);
    }

    /** A peer that did not get through; what it did counts. */
    private static final class StoodStill extends Exception {
        private final double rate;

        StoodStill(double rate) {
            this.rate = rate;
        }
    }

    private void several(int processes) throws Exception {
        String variant = processes + (processes == 1 ? " process" : " processes");
        int jobs = Math.min(lab.sizes.processJobs(), 4 * peer.drainJobs());
        List<Child> workers = new ArrayList<>();
        long[] twice = new long[1];
        try (var ds = lab.db.pool(4, false);
                Producer waker = peer.remoteProducer(ds, Profile.DEFAULT)) {
            for (int i = 0; i < processes; i++)
                workers.add(Child.start(lab, "worker", Profile.THROUGHPUT.name(), Integer.toString(Lab.THREADS)));
            lab.warmUp(i -> round(workers, waker, jobs / 4, twice));
            double[] rates = lab.repeat(() -> round(workers, waker, jobs, twice));
            lab.line("processes", variant, rates, "jobs/s", "jobs", jobs, "ran_twice", twice[0]);
        } catch (StoodStill e) {
            lab.line("processes", variant, e.rate, "jobs/s", "jobs", jobs, "note", "stopped after 120 s");
        } finally {
            for (Child worker : workers) worker.close();
        }
    }

    /** From the first handler of any process until the last completion is durable. */
    private double round(List<Child> workers, Producer waker, int jobs, long[] twice) throws Exception {
        peer.clear(lab.admin);
        for (Child worker : workers) worker.ask("reset");
        // not analyzed while it is empty: plans that are kept would be made for no rows
        Db.run(lab.admin, "checkpoint");
        peer.fill(lab.admin, jobs);
        waker.enqueue(jobs); // one more, so that all hear of it at the same time
        long begin = System.nanoTime();
        boolean done = Lab.await(120, () -> count(workers) > jobs) && Lab.await(30, () -> lab.unfinished() == 0);
        long end = System.nanoTime();
        if (!done && !peer.name().equals("konduit")) throw new StoodStill(count(workers) * 1e9 / (end - begin));
        if (!done) throw new IllegalStateException(count(workers) + " of " + (jobs + 1) + " jobs ran");
        var all = new BitSet();
        long first = Long.MAX_VALUE;
        for (Child worker : workers) {
            Path file = Files.createTempFile("ids", null);
            String[] answer = worker.ask("ids " + file).split(":");
            if (!answer[0].equals("0")) first = Math.min(first, Long.parseLong(answer[0]));
            twice[0] += Long.parseLong(answer[1]);
            var ids = BitSet.valueOf(Files.readAllBytes(file));
            Files.delete(file);
            var both = (BitSet) ids.clone();
            both.and(all);
            twice[0] += both.cardinality();
            all.or(ids);
        }
        if (all.cardinality() != jobs + 1) throw new IllegalStateException(all.cardinality() + " different jobs ran");
        return jobs * 1e9 / (end - first);
    }

    private static int count(List<Child> workers) {
        int sum = 0;
        try {
            for (Child worker : workers) sum += Integer.parseInt(worker.ask("count"));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return sum;
    }

    /** kill -9 a process with 100 running jobs while a second one is up; time until it ran the first / all of them. */
    void crash(Profile profile) throws Exception {
        double[][] times = new double[Sizes.QUICK ? 1 : peer.recoversFast() ? 3 : 1][];
        for (int i = 0; i < times.length; i++) {
            times[i] = crashOnce(profile);
            if (times[i] == null) {
                lab.line("crash_recovery", "last", 240, "s", "measured", false, "note", "not all within 240 s");
                return;
            }
        }
        double[] first = new double[times.length], last = new double[times.length];
        for (int i = 0; i < times.length; i++) {
            first[i] = times[i][0];
            last[i] = times[i][1];
        }
        lab.line("crash_recovery", "first", first, "s", "jobs", CRASH_JOBS);
        lab.line("crash_recovery", "last", last, "s", "jobs", CRASH_JOBS);
    }

    private double[] crashOnce(Profile profile) throws Exception {
        peer.createSchema(lab.admin);
        Db.run(
                lab.admin,
                "drop table if exists bench_events",
                "create table bench_events(job bigint, worker text, at timestamptz default clock_timestamp())");
        Process victim = Child.spawn(lab, "crash_worker", profile.name(), "victim", "3600000"), survivor = null;
        try (var ds = lab.db.pool(4, false);
                Producer producer = peer.remoteProducer(ds, profile)) {
            for (int i = 0; i < CRASH_JOBS; i++) producer.enqueue(i);
            if (!awaitEvents("victim", CRASH_JOBS, 90)) throw new IllegalStateException("victim did not start all");
            survivor = Child.spawn(lab, "crash_worker", profile.name(), "survivor", "0");
            if (!awaitEvents("survivor-up", 1, 90)) throw new IllegalStateException("survivor not up");
            Thread.sleep(Sizes.QUICK ? 2_000 : 8_000);
            Db.run(lab.admin, "insert into bench_events values (-1, 'kill')");
            victim.destroyForcibly().waitFor(); // SIGKILL
            if (!awaitEvents("survivor", CRASH_JOBS, 240)) return null;
            return new double[] {seconds("min"), seconds("max")};
        } finally {
            victim.destroyForcibly();
            if (survivor != null) survivor.destroyForcibly();
        }
    }

    private double seconds(String which) throws Exception {
        try (Connection c = lab.db.connect()) {
            return Db.number(
                            c,
                            "select round(extract(epoch from " + which
                                    + "(at) - (select at from bench_events where worker = 'kill')) * 1000)"
                                    + " from bench_events where worker = 'survivor'")
                    / 1000.0;
        }
    }

    private boolean awaitEvents(String worker, int n, int seconds) throws Exception {
        String sql = "select count(distinct job) from bench_events where worker = '" + worker + "'";
        return Lab.await(seconds, () -> lab.query(sql) >= n);
    }
}
