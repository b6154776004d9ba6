package io.konduit.queue.designmodel;

import java.util.ArrayList;
import java.util.List;

/**
 * One state of the model.
 *
 * @param earlier the rows that a failover would bring back, newest last
 * @param runs all claims so far, numbered by their index
 * @param restarts how often each worker has been started again
 */
record ModelState(Row row, List<Row> earlier, List<Run> runs, List<Integer> restarts) {
    enum Status {
        PENDING,
        RUNNING,
        COMPLETED
    }

    /** The row; {@code holder} is the number of the run that holds it, known to the property and to no guard. */
    record Row(Status status, int epoch, int attempts, int owner, int holder) {}

    /** One claim, as its worker remembers it: {@code learnt} when the reply has arrived, {@code dropped} when it will not be reported. */
    record Run(int owner, int epoch, int attempts, boolean learnt, boolean dropped) {
        boolean reportable() {
            return learnt && !dropped;
        }

        Run drop() {
            return new Run(owner, epoch, attempts, learnt, true);
        }
    }

    /** The worker of the newest run gives up its older ones. */
    static void dropOlder(List<Run> runs, int newest) {
        for (int older = 0; older < newest; older++) {
            if (runs.get(older).owner() == runs.get(newest).owner()) {
                runs.set(older, runs.get(older).drop());
            }
        }
    }

    /** What a dropped run was given matters no more, because it is never reported: forgetting it makes fewer states. */
    ModelState forgetDropped() {
        List<Run> remembered = new ArrayList<>(runs);
        remembered.replaceAll(run -> run.dropped() ? new Run(run.owner(), 0, 0, true, true) : run);
        return new ModelState(row, earlier, remembered, restarts);
    }
}
