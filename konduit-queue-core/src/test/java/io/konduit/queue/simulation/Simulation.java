package io.konduit.queue.simulation;

import io.konduit.queue.event.LeaseLost;
import io.konduit.queue.publish.QueueEvents;
import io.konduit.queue.simulation.SimulatedConnections.Call;
import io.konduit.queue.simulation.SimulatedConnections.End;
import io.konduit.queue.simulation.SimulatedConnections.Session;
import io.konduit.queue.simulation.SimulatedProcess.Loop;
import io.konduit.queue.worker.SimulatedNode;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One run of a whole world, drawn from a seed: several instances of the real code on one real database, in virtual time.
 *
 * <p>Time stands still while something is carried out and moves on when nothing is due. Each loop of each instance comes
 * when it asked to, unless the world has frozen or killed it. Before each statement the turn goes back to this scheduler,
 * which lets anybody else go first, and decides what happens to the statement.
 */
final class Simulation {
    private static final long MILLISECOND = 1_000_000L;
    private static final long SECOND = 1_000 * MILLISECOND;
    private static final long LONGEST_SETTLING = 600 * SECOND;
    private static final long WORST_FREEZE = 6 * SECOND;
    /** How long the server may keep a session that its client has lost. */
    private static final int LONGEST_NOTICE = 15_000;
    /** Does not ask for the time, and changes nothing. */
    private static final String TIMELESS = "witness-verify";

    private static final Set<String> OUTCOMES = Set.of("complete", "fail", "snooze");

    private final long seed;
    private final Random random;
    private final Environment environment;
    private final @Nullable List<String> trace;
    private final Observer observer;
    private final Runs runs = new Runs();
    private final FaultInjector injector;
    private final Map<UUID, SimulatedProcess> processes = new LinkedHashMap<>();
    private final Map<Integer, SimulatedProcess> hosts = new HashMap<>();
    private final List<Fiber> fibers = new ArrayList<>();
    private final List<Session> sessions = new ArrayList<>();
    private final List<LateStatement> lateStatements = new ArrayList<>();
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::nanos).thenComparingLong(Event::number));
    private final Tally tally = new Tally();
    private final SimulatedPerson person;
    private @Nullable Fiber last;
    private @Nullable Violation violation;
    private long now = 1_000 * SECOND;
    private final long begunNanos = now;
    private long shiftMicros;
    private long steadySinceNanos = Long.MIN_VALUE / 2;
    private long nextEvent;
    private int starts;
    private boolean settling;

    /** Something that happens at a time of its own. */
    private record Event(long nanos, long number, String name, Runnable what) {}

    /** A statement that is on its way although its client has given up. */
    private record LateStatement(SimulatedProcess process, Session session, String name, Call call) {}

    /** A broken promise. */
    static final class Violation extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Violation(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    Simulation(long seed, Environment environment, @Nullable List<String> trace) {
        this.seed = seed;
        // the first numbers of a Random are nearly equal for seeds that follow each other
        this.random = new Random(new SplittableRandom(seed).nextLong());
        this.environment = environment;
        this.trace = trace;
        this.observer = new Observer(this, environment.database());
        this.injector = new FaultInjector(this, random);
        this.person = new SimulatedPerson(this, environment, random);
    }

    /** Runs it to its end. */
    Tally run() {
        environment.enter(this);
        try {
            person.enqueue();
            observer.look();
            for (int host = 0; host < injector.nodes(); host++) {
                start(host);
            }
            person.arrive();
            long faultsEnd = now + injector.duration();
            while (!(settling && allHasEnded())) {
                if (!settling && now >= faultsEnd) {
                    settle();
                }
                if (now - faultsEnd > LONGEST_SETTLING) {
                    fail("L7: not all tasks have ended: " + observer.statuses(), null);
                }
                if (!settling) {
                    injector.mayInject();
                }
                runOne();
                throwViolation();
            }
            observer.look();
            throwViolation();
            return tally;
        } finally {
            processes.values().forEach(this::kill);
            sessions.forEach(Session::release);
            environment.leave();
        }
    }

    private void throwViolation() {
        if (violation != null) {
            throw violation;
        }
    }

    /** No more faults: everything that can end without a person has to. */
    private void settle() {
        settling = true;
        trace(() -> "--- no more faults");
        for (SimulatedProcess process : processes.values()) {
            process.freezeUntil(Math.min(now, process.thawsAt()));
            process.cutUntil(now);
        }
        person.leave();
    }

    private boolean allHasEnded() {
        if (person.isBusy() || !events.isEmpty() || !observer.hasSeenAllEnd()) {
            return false;
        }
        observer.look();
        return observer.hasSeenAllEnd();
    }

    /** Lets one of those go on whose time has come. */
    private void runOne() {
        Event event = events.peek();
        if (event != null && event.nanos() <= now) {
            events.poll();
            trace(() -> event.name());
            event.what().run();
            return;
        }
        List<Runnable> due = new ArrayList<>();
        long next = event == null ? Long.MAX_VALUE : event.nanos();
        for (Fiber fiber : fibers) {
            if (fiber.process().isFrozen()) {
                next = Math.min(next, fiber.process().thawsAt());
            } else if (fiber.isDue(now)) {
                if (fiber == last && random.nextInt(4) > 0) {
                    resume(fiber);
                    return;
                }
                due.add(() -> resume(fiber));
            } else {
                next = Math.min(next, fiber.dueNanos);
            }
        }
        for (SimulatedProcess process : processes.values()) {
            if (!process.isAlive()) {
                continue;
            }
            if (process.isFrozen()) {
                next = Math.min(next, process.thawsAt());
                continue;
            }
            if (endStop(process)) {
                return;
            }
            if (process.isEnding() || !process.isRegistered()) {
                continue;
            }
            for (Loop loop : process.loops()) {
                if (loop.busy || !loop.step.ready().getAsBoolean()) {
                    continue;
                }
                if (loop.dueNanos <= now) {
                    due.add(() -> step(process, loop));
                } else {
                    next = Math.min(next, loop.dueNanos);
                }
            }
        }
        if (due.isEmpty()) {
            if (next == Long.MAX_VALUE) {
                fail("nothing will ever happen again: " + processes.values() + " " + fibers, null);
                return;
            }
            now = Math.max(now, next);
            return;
        }
        due.get(random.nextInt(due.size())).run();
    }

    private void step(SimulatedProcess process, Loop loop) {
        loop.busy = true;
        Runnable work = () -> {
            long wait = 0;
            try {
                wait = loop.step.take().get().toNanos();
            } finally {
                loop.busy = false;
                // nobody wakes up to the nanosecond
                loop.dueNanos = now + wait + random.nextInt(10) * MILLISECOND;
            }
        };
        if (loop.step.name().equals("watchdog")) {
            work.run();
        } else {
            resume(begin(process, loop.step.name(), work));
        }
    }

    /** A fiber that has not begun yet. */
    Fiber begin(SimulatedProcess process, String name, Runnable work) {
        Fiber fiber = new Fiber(process, name, work);
        fibers.add(fiber);
        return fiber;
    }

    private void resume(Fiber fiber) {
        if (!fiber.next.isEmpty() && !settling) {
            fiber.fault = injector.fault(fiber);
        }
        fiber.wake = () -> false;
        fiber.resume();
        last = fiber;
        if (fiber.isEnded()) {
            fibers.remove(fiber);
        }
    }

    /** A statement or commit of a fiber: the scheduler decides when it is carried out, and what becomes of it. */
    @Nullable
    Object step(Session session, String sql, @Nullable List<Object> parameters, Call call) throws Throwable {
        Fiber fiber = Fiber.current();
        if (fiber == null) {
            return call.send();
        }
        SimulatedProcess process = fiber.process();
        String name = environment.statementName(sql);
        fiber.next = name;
        fiber.dueNanos = now + injector.latency();
        if (!settling) {
            injector.mayFreezeBefore(name, process);
        }
        fiber.pause();
        fiber.next = "";
        Fault fault = fiber.fault;
        fiber.fault = null;
        now += MILLISECOND;
        if (fault == Fault.LATE && !session.isBroken() && !session.inTransaction()) {
            trace(() -> fiber + ": " + name + " is late");
            awaitAnswer(fiber, session);
            session.breakLater();
            deliverLate(new LateStatement(process, session, name, call), injector.delay());
            throw SimulatedConnections.broken();
        }
        if (process.isCut() || session.isBroken() || session.isEndedOnServer() || fault == Fault.REQUEST_LOST) {
            trace(() -> fiber + ": " + name + " does not reach the server");
            lose(fiber, session, fault != null);
            throw SimulatedConnections.broken();
        }
        if (!name.equals(TIMELESS)) {
            observer.look();
        }
        Object result = send(fiber, name, session, call);
        tally.count(name);
        if (fault == Fault.REPLY_LOST) {
            trace(() -> fiber + ": the reply to " + name + " is lost");
            lose(fiber, session, true);
            throw SimulatedConnections.broken();
        }
        if (name.equals("extend") && !settling) {
            injector.mayLose(process);
        }
        if (name.equals("record-late-outcome") && parameters != null) {
            observer.noted((Long) parameters.get(1), (Long) parameters.get(2), process.id());
        }
        return result;
    }

    /** The client hears nothing and gives up; the server may keep a listening session for some time. */
    private void lose(Fiber fiber, Session session, boolean lost) {
        if (lost || session.isSilent()) {
            awaitAnswer(fiber, session);
        }
        if (session.isListening() && !session.isBroken() && !session.isEndedOnServer() && random.nextBoolean()) {
            session.breakLater();
            at(
                    now + random.nextInt(LONGEST_NOTICE) * MILLISECOND,
                    "the server ends the session of " + fiber,
                    session::release);
        } else {
            session.breakNow();
        }
    }

    /** Until the client's patience is over, or not at all: something on the way may refuse what is sent. */
    private void awaitAnswer(Fiber fiber, Session session) {
        if (session.isListening() && session.networkTimeoutMillis() > 0 && random.nextBoolean()) {
            sleep(fiber, session.networkTimeoutMillis());
        }
    }

    private void sleep(Fiber fiber, int millis) {
        fiber.next = "sleep";
        fiber.dueNanos = now + millis * MILLISECOND;
        fiber.pause();
        fiber.next = "";
    }

    /** Nothing comes back from a server that a listener wants to connect to. */
    void awaitsConnection(Fiber fiber) {
        if (fiber.isListener() && random.nextBoolean()) {
            sleep(fiber, (int) fiber.process().grace().toMillis() * 2 / 5);
        }
    }

    /** A listener waits for notifications, and hears when the server ends its session. */
    void await(Session session, int millis) throws SQLException {
        Fiber fiber = Objects.requireNonNull(Fiber.current());
        fiber.wake = session::isHeardToEnd;
        sleep(fiber, millis);
        if (session.isHeardToEnd()) {
            trace(() -> fiber + ": the session has ended");
            session.breakNow();
            throw SimulatedConnections.broken();
        }
    }

    private @Nullable Object send(Object who, String name, Session session, Call call) throws Throwable {
        trace(() -> who + ": " + name);
        try {
            Object result = call.send();
            if (name.equals("witness-take")) {
                session.tookWitness();
            }
            return result;
        } catch (SQLException e) {
            judge(name, e);
            throw e;
        }
    }

    private void deliverLate(LateStatement late, long delay) {
        lateStatements.add(late);
        at(now + delay, late.process() + " late " + late.name(), () -> {
            if (lateStatements.remove(late)) {
                carryOutLate(late.session(), late.name(), late.call());
            }
        });
    }

    /**
     * A task was taken from a worker whose outcome may still arrive. The worst that can happen is that the same worker
     * claims it again before that: the others are frozen, and it is not.
     */
    void reclaimedFrom(UUID owner) {
        SimulatedProcess process = processes.get(owner);
        if (settling || process == null || !process.isAlive() || process.isFrozen() || !hasLateOutcome(process)) {
            return;
        }
        if (random.nextBoolean()) {
            trace(() -> process + " is left alone with what was taken from it");
            process.cutUntil(now);
            living().stream().filter(other -> other != process).forEach(other -> other.freezeUntil(now + WORST_FREEZE));
        }
    }

    private boolean hasLateOutcome(SimulatedProcess process) {
        return lateStatements.stream().anyMatch(late -> late.process() == process && OUTCOMES.contains(late.name()));
    }

    /** A worker has a task again that was taken from it: now is the worst time for what it sent before. */
    void claimedAgain(UUID owner) {
        for (LateStatement late : List.copyOf(lateStatements)) {
            if (late.process().id().equals(owner) && OUTCOMES.contains(late.name())) {
                lateStatements.remove(late);
                deliverLate(late, random.nextInt(300) * MILLISECOND);
            }
        }
    }

    private void carryOutLate(Session session, String name, Call call) {
        now += MILLISECOND;
        observer.look();
        try {
            send("the server", name, session, call);
        } catch (SQLException e) {
            trace(() -> "    " + e.getSQLState());
        } catch (Throwable e) {
            fail("unexpected in a late statement: " + e, e);
        } finally {
            session.release();
        }
    }

    /** What triggers refuse is a broken promise, and so is a wait of what must never wait. */
    private void judge(String name, SQLException error) {
        String state = String.valueOf(error.getSQLState());
        trace(() ->
                "    " + state + " " + error.getMessage().lines().findFirst().orElse(""));
        if (state.startsWith("08")) {
            return;
        }
        if (state.equals("55P03")) {
            tally.count("locked");
            if (Environment.NEVER_WAITING.contains(name)) {
                fail(name + " waits for a lock", error);
            }
        } else {
            fail(name + ": " + error.getMessage(), error);
        }
    }

    /** Starts an instance on a host. */
    void start(int host) {
        starts++;
        SimulatedProcess process =
                new SimulatedProcess(this, "n" + host + "." + starts, new UUID(random.nextLong(), random.nextLong()));
        long offset = random.nextInt(1_000) * SECOND;
        Duration grace = Duration.ofSeconds(random.nextBoolean() ? 3 : 5);
        SimulatedNode node = new SimulatedNode(new SimulatedNode.Host(
                environment.database(host),
                process.id(),
                () -> now + offset,
                random::nextDouble,
                grace,
                environment.handlers(),
                environment.converter(),
                new QueueEvents(event -> {
                    if (event instanceof LeaseLost lost) {
                        observer.lost(process, lost);
                    }
                })));
        processes.put(process.id(), process);
        hosts.put(host, process);
        trace(() -> process + " starts");
        tally.count("start");
        process.runs(node, grace);
        resume(begin(process, "register", () -> {
            node.register();
            process.registered();
        }));
    }

    /** The process is gone at once; the server may notice later. */
    void crash(SimulatedProcess process, long noticedNanos) {
        trace(() -> process + " crashes");
        process.die();
        for (Session session : List.copyOf(sessions)) {
            if (session.process() == process) {
                if (noticedNanos > now) {
                    session.breakLater();
                    at(noticedNanos, "the server notices that " + process + " is gone", session::release);
                } else {
                    session.breakNow();
                }
            }
        }
        kill(process);
    }

    private void kill(SimulatedProcess process) {
        process.die();
        for (Fiber fiber : List.copyOf(fibers)) {
            if (fiber.process() == process) {
                fiber.resume();
                fibers.remove(fiber);
            }
        }
    }

    /** The end of a graceful stop, when nothing runs any more. */
    private boolean endStop(SimulatedProcess process) {
        SimulatedNode node = process.node();
        if (node == null || !process.isStopping()) {
            return false;
        }
        if (now > process.stopDeadline()) {
            crash(process, now);
            return true;
        }
        boolean idle = process.loops().stream().noneMatch(loop -> loop.busy);
        if (!idle || !node.isDrained() || process.isEnding()) {
            return false;
        }
        process.ends();
        resume(begin(process, "stop", () -> {
            node.endStop();
            at(now, process + " has stopped", () -> crash(process, now));
        }));
        return true;
    }

    /** Something that happens later. */
    void at(long nanos, String name, Runnable what) {
        events.add(new Event(nanos, nextEvent++, name, what));
    }

    void opened(Session session) {
        sessions.removeIf(Session::isClosed);
        sessions.add(session);
    }

    /** Moves the database's clock. */
    void jump(Duration by) {
        trace(() -> "the clock jumps by " + by);
        shiftMicros += by.toNanos() / 1_000;
        if (!by.isNegative()) {
            steadySinceNanos = now;
        }
    }

    /** The server restarts: every connection breaks. */
    void restartServer() {
        trace(() -> "the server restarts");
        steadySinceNanos = now;
        environment.database().restartedAt(databaseMicros());
        endSessions();
    }

    /** The server has lost one of its processes: it ends all sessions and goes on with the start time that it had. */
    void recoverServer() {
        trace(() -> "the server recovers from a crash");
        steadySinceNanos = now;
        endSessions();
    }

    private void endSessions() {
        sessions.forEach(session -> session.endOnServer(End.TOLD));
    }

    /** The server ends the listening session of a process that is well. */
    void endListening(SimulatedProcess process, End how) {
        trace(() -> "the server ends the listening session of " + process + ", " + how);
        sessions.stream()
                .filter(session -> session.process() == process && session.isListening() && !session.isBroken())
                .forEach(session -> session.endOnServer(how));
    }

    /** Whether a session of the server holds the witness of this process. */
    boolean holdsWitness(SimulatedProcess process) {
        return sessions.stream().anyMatch(session -> session.process() == process && session.holdsWitness());
    }

    /** What is committed from here on is lost by the failover. */
    void copyDatabase() {
        environment.database().execute("select simulation.copy()");
    }

    /** A standby takes over that has not received the last commits. */
    void failOver() {
        observer.look();
        trace(() -> "the database fails over and is back where it was");
        restartServer();
        environment.database().execute("select simulation.fail_over()");
        runs.mayRepeat();
        observer.failedOver();
    }

    boolean clockWasSteadyFor(long nanos) {
        return now - steadySinceNanos > nanos;
    }

    long databaseMicros() {
        return SimulatedDatabase.EPOCH_MICROS + (now - begunNanos) / 1_000 + shiftMicros;
    }

    long now() {
        return now;
    }

    Runs runs() {
        return runs;
    }

    Observer observer() {
        return observer;
    }

    Tally tally() {
        return tally;
    }

    boolean isSettling() {
        return settling;
    }

    List<SimulatedProcess> living() {
        return hosts.values().stream().filter(SimulatedProcess::isAlive).toList();
    }

    void join(SimulatedProcess process) {
        processes.put(process.id(), process);
    }

    @Nullable
    SimulatedProcess process(@Nullable UUID id) {
        return id == null ? null : processes.get(id);
    }

    /** The last process that was started there. */
    SimulatedProcess onHost(int host) {
        return hosts.get(host);
    }

    int hostOf(SimulatedProcess process) {
        return hosts.entrySet().stream()
                .filter(host -> host.getValue() == process)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
    }

    /** The first violation ends the run. */
    void fail(String message, @Nullable Throwable cause) {
        if (violation == null) {
            trace(() -> "VIOLATION " + message);
            violation = new Violation("Seed " + seed + ": " + message, cause);
        }
    }

    void trace(Supplier<String> line) {
        if (trace != null) {
            trace.add("%9.3f %s".formatted((now - begunNanos) / 1e9, line.get()));
        }
    }
}
