package io.konduit.queue.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.sample.ImportJobs.ProductImport;
import io.konduit.queue.testing.CrashEverywhere;
import io.konduit.queue.testing.CrashReport;
import io.konduit.queue.testing.KonduitQueueTest;
import io.konduit.queue.testing.ManualWorker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** Story 3 wherever its worker dies: the first version of the import fails, and the second one passes. */
@KonduitQueueTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "sample.import-time-per-row=0ms")
@Import(FirstImportJobs.class)
@DirtiesContext
class ImportCrashTests {
    private static final Path PAGE = Path.of("..", "docs", "testing-your-handlers.md");

    @RegisterExtension
    static final EmptyDatabase database = new EmptyDatabase();

    @Autowired
    private ManualWorker worker;

    @DynamicPropertySource
    static void useEmptyDatabase(DynamicPropertyRegistry registry) {
        database.use(registry);
    }

    @Test
    void importEndsTheSameWhereverItsWorkerDies() {
        CrashEverywhere.of(worker)
                .task("product-import", new ProductImport(40))
                .endState("select row from product")
                .run()
                .assertSameEnd();
    }

    @Test
    void firstVersionForgetsRowsThatItHasImported() throws IOException {
        CrashReport report = CrashEverywhere.of(worker)
                .task("first-product-import", new ProductImport(40))
                .endState("select row from product")
                .run();
        assertThat(report.isSameEnd()).isFalse();
        assertThat(withoutLines(Files.readString(PAGE)))
                .as("the page shows the report")
                .contains(withoutLines(report.toString()));
    }

    private static String withoutLines(String text) {
        return text.replaceAll("\\.java:\\d+", ".java");
    }
}
