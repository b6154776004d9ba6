package io.konduit.queue.designmodel;

import io.konduit.queue.designmodel.CompletionGuard.Dedupe;
import io.konduit.queue.designmodel.ModelState.Row;
import io.konduit.queue.designmodel.ModelState.Run;
import io.konduit.queue.designmodel.ModelState.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Explicit-state search over every interleaving of one task, three workers and six claims. One row is enough, because no guard looks
 * at two; six claims are enough for each worker to claim, lose and claim again.
 *
 * <p>A run is one claim. It may be reported at any time after it, any number of times and also by a process that has been replaced:
 * that covers the late and the doubled completion. A crash needs no step of its own: it is a run that is never reported. Any lease
 * may expire and be reclaimed at any time. A restart gives the worker a new id and an empty memory, while the runs of the old process
 * can still be reported, as by a process that was frozen, replaced and thawed. A failover puts the row back to what it was before the
 * newest commits; what workers believe stays, and so does the number of claims made.
 */
final class GuardDesignModel {
    private static final int WORKERS = 3;
    private static final int RESTARTS = 2;

    private final CompletionGuard guard;
    private final ModelScenario scenario;
    private final Set<ModelState> visited = new HashSet<>();
    private final Deque<Node> frontier = new ArrayDeque<>();
    private List<String> counterexample = List.of();

    private GuardDesignModel(CompletionGuard guard, ModelScenario scenario) {
        this.guard = guard;
        this.scenario = scenario;
    }

    /** What a search found: how many states it saw, and the shortest way to a violation, empty when there is none. */
    record Result(int states, List<String> counterexample) {
        boolean safe() {
            return counterexample.isEmpty();
        }
    }

    private record Node(ModelState state, Node parent, String step) {}

    static Result explore(CompletionGuard guard, ModelScenario scenario) {
        return new GuardDesignModel(guard, scenario).search();
    }

    /** The name under which a worker is started again and again; the id is new each time. */
    static int name(int id) {
        return id < 0 ? id : id % WORKERS;
    }

    private Result search() {
        Row enqueued = new Row(Status.PENDING, 0, 0, -1, -1);
        reach(new ModelState(enqueued, List.of(), List.of(), Collections.nCopies(WORKERS, 0)), null, "enqueue");
        while (counterexample.isEmpty() && !frontier.isEmpty()) {
            expand(frontier.remove());
        }
        return new Result(visited.size(), counterexample);
    }

    private void expand(Node node) {
        ModelState state = node.state();
        for (int worker = 0; worker < WORKERS; worker++) {
            claim(node, worker);
            restart(node, worker);
        }
        for (int run = 0; run < state.runs().size(); run++) {
            learn(node, run);
            giveUp(node, run);
            complete(node, run);
        }
        Row row = state.row();
        if (row.status() == Status.RUNNING) {
            commit(
                    node,
                    new Row(Status.PENDING, row.epoch(), row.attempts(), -1, -1),
                    state.runs(),
                    "lease expires, reclaimed");
        }
        if (scenario.resetsAttempts() && row.attempts() > 0) {
            Row reset = new Row(row.status(), row.epoch(), 0, row.owner(), row.holder());
            commit(node, reset, state.runs(), "operator resets attempts");
        }
        failOver(node);
    }

    private void claim(Node node, int worker) {
        ModelState state = node.state();
        Row row = state.row();
        int id = worker + WORKERS * state.restarts().get(worker);
        boolean mayClaim = guard.dedupe() != Dedupe.BEFORE_CLAIM
                || state.runs().stream().noneMatch(run -> run.owner() == id && !run.dropped());
        // workers are alike until they claim: a new one comes only after those before it
        boolean known = worker == 0 || state.runs().stream().anyMatch(run -> name(run.owner()) == worker - 1);
        if (!known || row.status() != Status.PENDING || state.runs().size() == scenario.claims() || !mayClaim) {
            return;
        }
        int number = state.runs().size();
        boolean learnt = guard.dedupe() != Dedupe.WHEN_REPLY_ARRIVES;
        List<Run> runs = new ArrayList<>(state.runs());
        runs.add(new Run(id, row.epoch() + 1, row.attempts() + 1, learnt, false));
        if (guard.dedupe() == Dedupe.WHEN_CLAIM_COMMITS) {
            ModelState.dropOlder(runs, number);
        }
        Row claimed = new Row(Status.RUNNING, row.epoch() + 1, row.attempts() + 1, id, number);
        commit(node, claimed, runs, "worker " + id + " claims as run " + number + ", epoch " + claimed.epoch());
    }

    /** The reply to a claim arrives: only now does the worker know that it has the task again. */
    private void learn(Node node, int number) {
        ModelState state = node.state();
        if (!state.runs().get(number).learnt()) {
            List<Run> runs = new ArrayList<>(state.runs());
            Run run = runs.get(number);
            runs.set(number, new Run(run.owner(), run.epoch(), run.attempts(), true, run.dropped()));
            ModelState.dropOlder(runs, number);
            reach(
                    new ModelState(state.row(), state.earlier(), runs, state.restarts()),
                    node,
                    "reply of run " + number + " arrives");
        }
    }

    /** A worker that must not hold two runs of a task gives one up, for instance when an extension was answered with "lost". */
    private void giveUp(Node node, int number) {
        ModelState state = node.state();
        if (guard.dedupe() == Dedupe.BEFORE_CLAIM && !state.runs().get(number).dropped()) {
            List<Run> runs = new ArrayList<>(state.runs());
            runs.set(number, runs.get(number).drop());
            reach(
                    new ModelState(state.row(), state.earlier(), runs, state.restarts()),
                    node,
                    "run " + number + " is given up");
        }
    }

    /** The property: a completion that the guard accepts comes from the run that holds the task now. */
    private void complete(Node node, int number) {
        ModelState state = node.state();
        Row row = state.row();
        Run run = state.runs().get(number);
        if (!run.reportable() || row.status() != Status.RUNNING || !guard.matches(row, run)) {
            return;
        }
        String step = "completion of run " + number + " accepted";
        if (row.holder() == number) {
            commit(node, new Row(Status.COMPLETED, row.epoch(), row.attempts(), -1, -1), state.runs(), step);
        } else if (counterexample.isEmpty()) {
            counterexample = trace(new Node(state, node, step + " although run " + row.holder() + " holds the task"));
        }
    }

    private void restart(Node node, int worker) {
        ModelState state = node.state();
        int sum = state.restarts().stream().mapToInt(Integer::intValue).sum();
        int id = worker + WORKERS * state.restarts().get(worker);
        // a restart before the first claim changes nothing but the name of the id
        if (sum < RESTARTS && state.runs().stream().anyMatch(run -> run.owner() == id)) {
            List<Integer> restarts = new ArrayList<>(state.restarts());
            restarts.set(worker, restarts.get(worker) + 1);
            reach(
                    new ModelState(state.row(), state.earlier(), state.runs(), restarts),
                    node,
                    "worker " + id + " starts again as " + (id + WORKERS));
        }
    }

    private void failOver(Node node) {
        ModelState state = node.state();
        for (int kept = 0; kept < state.earlier().size(); kept++) {
            Row row = state.earlier().get(kept);
            List<Row> earlier = List.copyOf(state.earlier().subList(0, kept));
            String step = "failover loses " + (state.earlier().size() - kept) + " commit";
            reach(new ModelState(row, earlier, state.runs(), state.restarts()), node, step);
        }
    }

    private void commit(Node node, Row row, List<Run> runs, String step) {
        ModelState state = node.state();
        List<Row> earlier = new ArrayList<>(state.earlier());
        earlier.add(state.row());
        int tooMany = Math.max(0, earlier.size() - scenario.commitsLost());
        reach(
                new ModelState(row, List.copyOf(earlier.subList(tooMany, earlier.size())), runs, state.restarts()),
                node,
                step);
    }

    private void reach(ModelState state, Node parent, String step) {
        ModelState reached = state.forgetDropped();
        if (visited.add(reached)) {
            frontier.add(new Node(reached, parent, step));
        }
    }

    private static List<String> trace(Node last) {
        List<String> steps = new ArrayList<>();
        for (Node node = last; node != null; node = node.parent()) {
            steps.add(0, Objects.requireNonNull(node.step()));
        }
        return steps;
    }
}
