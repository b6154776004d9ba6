package io.konduit.queue.protocol;

/** Somebody who cancels, releases, retries or fails tasks by hand, at any time. */
final class SimulatedPerson {
    private static final Transition[] ACTIONS = {
        Transition.CANCEL, Transition.RELEASE, Transition.RETRY, Transition.FAIL_BY_HAND
    };

    private final SimulatedWorld world;

    SimulatedPerson(SimulatedWorld world) {
        this.world = world;
    }

    /** Cancels one task, or does something else to every task that is in a state for it. */
    void act() {
        Transition action = ACTIONS[world.random(ACTIONS.length)];
        int first = world.random(world.tasks());
        int count = action == Transition.CANCEL ? 1 : world.tasks();
        for (int i = 0; i < count && !world.database().down(); i++) {
            world.recovery().byHand(action, (first + i) % world.tasks());
        }
    }
}
