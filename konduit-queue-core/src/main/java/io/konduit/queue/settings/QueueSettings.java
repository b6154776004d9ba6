package io.konduit.queue.settings;

/**
 * All settings, in groups. A group is validated on access: an instance that only enqueues does not need valid worker
 * settings. An implementation inherits the properties' defaults for what it leaves out.
 */
public interface QueueSettings {
    /** The defaults of the properties. */
    QueueSettings DEFAULTS = new QueueSettings() {};

    default SchemaSettings schema() {
        return SchemaSettings.defaults();
    }

    default ControlPoolSettings controlPool() {
        return ControlPoolSettings.defaults();
    }

    default EnqueueSettings enqueue() {
        return EnqueueSettings.defaults();
    }

    default PayloadSettings payloads() {
        return PayloadSettings.defaults();
    }

    default RetrySettings retry() {
        return RetrySettings.defaults();
    }

    default InstanceSettings instance() {
        return InstanceSettings.defaults();
    }

    default WorkerSettings worker() {
        return WorkerSettings.defaults();
    }

    default ReclaimPolicy reclaim() {
        return ReclaimPolicy.defaults();
    }

    default ChoreSettings chores() {
        return ChoreSettings.defaults();
    }

    default WitnessSettings witness() {
        return WitnessSettings.defaults();
    }

    default LeaderSettings leader() {
        return LeaderSettings.defaults();
    }

    default RetentionSettings retention() {
        return RetentionSettings.defaults();
    }

    default ScheduleSettings schedules() {
        return ScheduleSettings.defaults();
    }

    default FailoverPolicy failover() {
        return FailoverPolicy.defaults();
    }

    default InspectionSettings inspection() {
        return InspectionSettings.of(reclaim(), chores());
    }
}
