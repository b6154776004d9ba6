package io.konduit.queue;

/** There is no schedule with this name. */
public class ScheduleNotFoundException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    public ScheduleNotFoundException(String name) {
        super("There is no schedule '" + name + "'. Check the name against the list of schedules.");
    }
}
