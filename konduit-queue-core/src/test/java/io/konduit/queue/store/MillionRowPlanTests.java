package io.konduit.queue.store;

import org.junit.jupiter.api.Tag;

/** {@link PlanTests} with a million tasks waiting and a million done. Its plans are written to {@code target/plans}. */
@Tag("long")
class MillionRowPlanTests extends PlanTests {
    @Override
    int rows() {
        return 1_000_000;
    }
}
