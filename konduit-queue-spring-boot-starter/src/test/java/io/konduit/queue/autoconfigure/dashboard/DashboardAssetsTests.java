package io.konduit.queue.autoconfigure.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** B2, B3: what the browser loads. */
@Tag("B2")
class DashboardAssetsTests {
    private static final Path FOLDER = Path.of("src/main/resources/io/konduit/queue/dashboard");

    @Test
    void listsEveryFileAndNothingElse() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(DashboardAssets.NAMES);
        }
        assertThat(new DashboardAssets().find("../../../../application.yml")).isNull();
    }

    @Test
    @Tag("B3")
    void areSmall() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        int plain = 0;
        for (String name : DashboardAssets.NAMES) {
            byte[] bytes = DashboardAssets.load(name).bytes();
            plain += bytes.length;
            try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
                gzip.write(bytes);
            }
        }
        assertThat(plain).isLessThan(150_000);
        assertThat(packed.size()).isLessThan(50_000);
    }

    /** The policy forbids it anyway; this says where. */
    @Test
    void containNoInlineScriptOrStyleNoMarkupFromTextAndNoOtherHost() {
        for (String name : DashboardAssets.NAMES) {
            String text = new String(DashboardAssets.load(name).bytes(), StandardCharsets.UTF_8)
                    .replace("http://www.w3.org/2000/svg", "");
            assertThat(text)
                    .as(name)
                    .doesNotContainPattern("innerHTML|outerHTML|insertAdjacentHTML|document\\.write|\\beval\\(")
                    .doesNotContainPattern("https?://|@import|<style|\\bstyle=|<script>")
                    .doesNotContainPattern("new Function");
        }
    }

    @Test
    void aFileHasItsTypeAndATag() {
        DashboardAssets.Asset script = Objects.requireNonNull(new DashboardAssets().find("app.js"));
        assertThat(script.contentType()).isEqualTo("text/javascript;charset=UTF-8");
        assertThat(script.etag()).matches("\"[0-9a-f]{32}\"");
    }

    @Test
    void numbersThatABrowserWouldRoundAreText() {
        record Ids(long small, long large, Long boxed) {}
        assertThat(new String(DashboardJson.bytes(new Ids(42, (1L << 53) + 1, Long.MAX_VALUE)), StandardCharsets.UTF_8))
                .isEqualTo("{\"small\":42,\"large\":\"9007199254740993\",\"boxed\":\"9223372036854775807\"}");
    }

    @Test
    void backlogIsSampledForAnHourAndNotWithEveryLook() {
        BacklogSamples samples = new BacklogSamples();
        Instant start = Instant.parse("2030-01-31T08:00:00Z");
        samples.add(start, 1);
        samples.add(start.plusSeconds(9), 2);
        samples.add(start.plusSeconds(10), 3);
        assertThat(samples.lastHour(start.plusSeconds(20)))
                .isEqualTo(List.of(
                        new BacklogSamples.Sample(start, 1), new BacklogSamples.Sample(start.plusSeconds(10), 3)));
        assertThat(samples.lastHour(start.plusSeconds(3_605))).hasSize(1);
        assertThat(samples.lastHour(start.plusSeconds(4_000))).isEmpty();
    }
}
