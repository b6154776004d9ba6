package io.konduit.queue.protocol;

import io.konduit.queue.protocol.Lease.Extension;
import java.util.ArrayList;
import java.util.List;

/** The heartbeats of one worker: they extend its leases and watch the database's clock. */
final class SimulatedLeaseKeeper {
    private final SimulatedWorld world;
    private final SimulatedWorker worker;
    private final SimulatedProcess process;
    private final ClockWatch watch = new ClockWatch();
    /** True from the start: the first heartbeat gives the reading of the clock to which later ones are compared. */
    private boolean heartbeatsFail = true;

    private boolean extendYoungLeasesToo;

    /** The answer to a heartbeat: the database's clock and one answer for each lease. */
    private record Beat(ClockReading reading, List<Extension> answers) {}

    SimulatedLeaseKeeper(SimulatedWorld world, SimulatedWorker worker) {
        this.world = world;
        this.worker = worker;
        this.process = worker.process();
    }

    void start() {
        process.after(world.random(Timing.HEARTBEAT_INTERVAL), this::beat);
    }

    /** Whether heartbeats fail, so that nothing may be claimed. */
    boolean failing() {
        return heartbeatsFail;
    }

    /** One statement for all leases past a third of their time, and for all of them when something may have cut them short. */
    private void beat() {
        long sentAt = process.nanoTime();
        List<SimulatedRun> due = worker.runs().stream()
                .filter(run -> run.needsExtension(sentAt, extendYoungLeasesToo))
                .toList();
        extendYoungLeasesToo = false;
        due.forEach(SimulatedRun::sent);
        world.database()
                .call(process, -1, () -> extend(due), beat -> onBeat(due, beat, sentAt), () -> onFailedBeat(due));
    }

    private Beat extend(List<SimulatedRun> due) {
        List<Extension> answers = new ArrayList<>(due.size());
        due.forEach(run -> answers.add(world.table().extend(run.lease())));
        SimulatedDatabase database = world.database();
        return new Beat(new ClockReading(database.clock(), database.startedAt(), List.of()), answers);
    }

    private void onBeat(List<SimulatedRun> due, Beat beat, long sentAt) {
        due.forEach(SimulatedRun::answered);
        heartbeatsFail = false;
        boolean busy = false;
        for (int i = 0; i < due.size(); i++) {
            SimulatedRun run = due.get(i);
            switch (beat.answers().get(i)) {
                case EXTENDED -> run.confirm(sentAt);
                case LOST -> worker.lose(run);
                case BUSY -> busy = true;
            }
        }
        long now = process.nanoTime();
        if (watch.jumped(beat.reading(), sentAt, now) && world.sabotage() != Sabotage.WORKER_UNAWARE_OF_JUMPS) {
            extendYoungLeasesToo = true;
            beat();
        } else if (busy) {
            world.tally().add(Tally.Count.BUSY_ROWS);
            extendYoungLeasesToo = true;
            process.after(Timing.BUSY_RETRY_DELAY, this::beat);
        } else {
            process.after(sentAt + Timing.HEARTBEAT_INTERVAL - now, this::beat);
        }
    }

    private void onFailedBeat(List<SimulatedRun> due) {
        due.forEach(SimulatedRun::answered);
        heartbeatsFail = true;
        extendYoungLeasesToo = true;
        process.after(Timing.RETRY_DELAY, this::beat);
    }
}
