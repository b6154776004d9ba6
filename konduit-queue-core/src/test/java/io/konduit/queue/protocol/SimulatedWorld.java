package io.konduit.queue.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/** Virtual time and everything in it, a function of the seed alone: the same seed is the same run, event by event. */
final class SimulatedWorld {
    private static final long FAULTY_TIME = 8 * Timing.SECOND;
    private static final long LONGEST_CALM = 120 * Timing.SECOND;

    private final VirtualTime time = new VirtualTime();
    private final SplittableRandom random;
    private final Sabotage sabotage;
    private final List<String> trace;
    private final Tally tally = new Tally();
    private final RecoveryBound recoveryBound = new RecoveryBound(this);
    private final Invariants invariants = new Invariants(this, recoveryBound);
    private final List<SimulatedWorker> workers = new ArrayList<>();
    private final Faults faults;
    private final int quarantineAfter;
    private final SimulatedStorage rows;
    private final SimulatedDatabase database;
    private final SimulatedTable table;
    private final SimulatedRecovery recovery;
    private int processNumber;

    /** @param trace where to write what happens, or null */
    SimulatedWorld(long seed, Sabotage sabotage, List<String> trace) {
        this.random = new SplittableRandom(seed);
        this.sabotage = sabotage;
        this.trace = trace;
        this.faults = new Faults(random.split());
        this.quarantineAfter = 2 + random.nextInt(3);
        this.rows = new SimulatedStorage(enqueue(4 + random.nextInt(5)), invariants);
        this.database = new SimulatedDatabase(this, rows);
        this.table = new SimulatedTable(rows, database::clock, invariants, sabotage);
        this.recovery = new SimulatedRecovery(rows, database::clock, sabotage, quarantineAfter);
    }

    private List<TaskRow> enqueue(int count) {
        List<TaskRow> tasks = new ArrayList<>();
        for (int id = 0; id < count; id++) {
            TaskRow row = TaskRow.draw(id, random);
            row.quarantineAt = quarantineAfter;
            row.runAt = SimulatedDatabase.CLOCK_AT_START + random.nextLong(FAULTY_TIME / 2);
            tasks.add(row);
        }
        return tasks;
    }

    /** Lets the faults happen, then lets time go on without any until every task has come to rest. */
    Tally run() {
        trace(() -> "profile " + faults);
        for (int i = 2 + random.nextInt(3); i > 0; i--) {
            launch(i == 1 || random.nextBoolean());
        }
        faults.schedule(this, FAULTY_TIME);
        for (int i = random.nextInt(4); i > 0; i--) {
            schedule(random.nextLong(FAULTY_TIME), new SimulatedPerson(this)::act);
        }
        time.advance(FAULTY_TIME, this::check);
        calmDown();
        long deadline = now() + LONGEST_CALM + database.setBackBy();
        while (!rows.atRest()) {
            if (now() > deadline) {
                throw new InvariantViolation("liveness", "not every task has come to rest: " + rows);
            }
            time.advance(now() + 100 * Timing.MILLISECOND, this::check);
            recoveryBound.probe(rows);
        }
        tally.add(Tally.Count.EVENTS, time.events());
        return tally;
    }

    private void check() {
        invariants.afterStep(rows);
    }

    private void calmDown() {
        trace(() -> "faults end");
        faults.stop();
        database.heal();
        List.copyOf(workers).stream()
                .map(SimulatedWorker::process)
                .filter(SimulatedProcess::paused)
                .forEach(SimulatedProcess::resume);
    }

    private void launch(boolean knowsRareTasks) {
        boolean skewed = random.nextInt(3) == 0;
        long wallClockOffset =
                skewed ? random.nextLong(2 * SimulatedDatabase.CLOCK_AT_START) : SimulatedDatabase.CLOCK_AT_START;
        tally.add(Tally.Count.SKEWED_CLOCKS, skewed ? 1 : 0);
        SimulatedProcess process =
                new SimulatedProcess(this, "process " + ++processNumber, random.nextInt(-500, 500), wallClockOffset);
        SimulatedWorker worker = new SimulatedWorker(this, process, random.nextLong() | 1, knowsRareTasks);
        workers.add(worker);
        worker.start();
        new SimulatedReaper(this, process).start();
    }

    void crash(SimulatedWorker worker, long downtime) {
        tally.add(Tally.Count.CRASHES);
        trace(() -> worker.process() + " crashes");
        exit(worker, downtime);
    }

    /** The process is gone; another one takes its place after a while. */
    void exit(SimulatedWorker worker, long downtime) {
        if (workers.remove(worker)) {
            worker.process().kill();
            database.disconnect(worker.process());
            schedule(downtime, () -> launch(worker.knowsRareTasks()));
        }
    }

    void pause(SimulatedWorker worker, long duration) {
        if (!worker.process().paused()) {
            tally.add(Tally.Count.PAUSES);
            worker.process().pause();
            schedule(duration, () -> {
                if (worker.process().paused()) {
                    trace(() -> worker.process() + " resumes");
                    worker.process().resume();
                }
            });
        }
    }

    void schedule(long delay, Runnable task) {
        time.schedule(delay, task);
    }

    void trace(Supplier<String> line) {
        if (trace != null) {
            trace.add(Timing.format(now()) + "  " + line.get());
        }
    }

    /** The worker with this id, or null when it is no more. */
    SimulatedWorker worker(long id) {
        return workers.stream().filter(worker -> worker.id() == id).findFirst().orElse(null);
    }

    List<SimulatedWorker> workers() {
        return workers;
    }

    int tasks() {
        return rows.size();
    }

    TaskRow row(int id) {
        return rows.any(id);
    }

    int random(int bound) {
        return random.nextInt(bound);
    }

    long random(long bound) {
        return random.nextLong(bound);
    }

    long now() {
        return time.now();
    }

    Sabotage sabotage() {
        return sabotage;
    }

    Tally tally() {
        return tally;
    }

    Faults faults() {
        return faults;
    }

    Invariants invariants() {
        return invariants;
    }

    SimulatedDatabase database() {
        return database;
    }

    SimulatedTable table() {
        return table;
    }

    SimulatedRecovery recovery() {
        return recovery;
    }

    int quarantineAfter() {
        return quarantineAfter;
    }

    boolean leasesKeepTheirLength() {
        return faults.leasesKeepTheirLength();
    }
}
