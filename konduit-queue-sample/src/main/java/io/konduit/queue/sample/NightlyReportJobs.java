package io.konduit.queue.sample;

import io.konduit.queue.JobHandler;
import io.konduit.queue.Recurring;
import io.konduit.queue.TaskContext;
import java.time.ZoneId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Story 5: a report each night, once however many instances run, also when clocks change. */
@Component
class NightlyReportJobs {
    private static final Logger log = LoggerFactory.getLogger(NightlyReportJobs.class);
    private static final String ZONE = "Europe/Berlin";

    @JobHandler("nightly-report")
    @Recurring(cron = "0 30 2 * * *", zone = ZONE)
    void report(TaskContext task) {
        // the time that it is for, not the time that it runs at: a retry writes the same report
        task.scheduledFor()
                .ifPresent(night -> log.info(
                        "Wrote the report of {}", night.atZone(ZoneId.of(ZONE)).toLocalDate()));
    }
}
