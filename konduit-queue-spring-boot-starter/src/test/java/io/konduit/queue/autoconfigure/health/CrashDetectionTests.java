package io.konduit.queue.autoconfigure.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.autoconfigure.KonduitQueueAutoConfiguration;
import io.konduit.queue.autoconfigure.KonduitQueueInstanceAutoConfiguration;
import io.konduit.queue.host.EmptyDatabase;
import io.konduit.queue.settings.QueueSettings;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** K5: which of the two applies, what the bound is, and why it is not the witness. */
@Tag("K4")
@Tag("K5")
class CrashDetectionTests {
    @RegisterExtension
    static final EmptyDatabase database = new EmptyDatabase();

    private final ApplicationContextRunner application =
            database.application(KonduitQueueAutoConfiguration.class, KonduitQueueInstanceAutoConfiguration.class);

    @Test
    void aWitnessTellsWithinTwiceTheGrace() {
        assertThat(describe(true)).isEqualTo(Map.of("by", "witness", "withinSeconds", 10L));
        assertThat(describe(true, "konduit.queue.witness.grace=20s")).containsEntry("withinSeconds", 40L);
    }

    /** L2: an ended lease is an orphan only after that, and the reaper may sleep until its next pass. */
    @Test
    void aGraceOfTheReaperIsWaitedForWithAWitnessToo() {
        assertThat(describe(true, "konduit.queue.reaper-grace=1m")).containsEntry("withinSeconds", 100L);
        assertThat(describe(false, "konduit.queue.reaper-grace=1m")).containsEntry("withinSeconds", 390L);
    }

    @Test
    void whereNobodyListensTheLeaseDecides() {
        Map<String, Object> detection = describe(false, "konduit.queue.worker.listen=false");
        assertThat(detection).containsEntry("by", "lease").containsEntry("withinSeconds", 330L);
        assertThat(detection.get("note").toString())
                .contains("'konduit.queue.witness.enabled' or 'konduit.queue.worker.listen' is false");
        assertThat(describe(false, "konduit.queue.witness.enabled=false")).containsEntry("by", "lease");
    }

    @Test
    void withoutASessionTheLeaseDecides() {
        assertThat(describe(false)).containsEntry("by", "lease").containsEntry("withinSeconds", 330L);
        assertThat(describe(false).get("note").toString()).contains("transaction pooler");
    }

    @Test
    void withoutAReaperThereIsNoBound() {
        assertThat(describe(true, "konduit.queue.reaper-interval=0")).doesNotContainKey("withinSeconds");
    }

    private Map<String, Object> describe(boolean hasWitness, String... properties) {
        CrashDetection[] detection = new CrashDetection[1];
        application
                .withPropertyValues(properties)
                .run(context -> detection[0] = new CrashDetection(context.getBean(QueueSettings.class)));
        return detection[0].describe(hasWitness);
    }
}
