package io.konduit.queue.jdbc;

import java.time.Duration;
import javax.sql.DataSource;

/** A control pool without a pool: its connections are those of a simulation. */
public final class UnpooledControl {
    private UnpooledControl() {}

    public static ControlPool over(DataSource connections, Duration patience) {
        return new ControlPool(connections, patience);
    }
}
