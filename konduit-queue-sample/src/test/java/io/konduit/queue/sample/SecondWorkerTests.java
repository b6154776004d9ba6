package io.konduit.queue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.admin.QueueInspection;
import io.konduit.queue.admin.RegisteredWorker;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.web.client.RestClient;

/** The buttons of the page: a second process joins and is killed; and the dashboard is there to watch it. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
@DirtiesContext
class SecondWorkerTests {
    @RegisterExtension
    static final EmptyDatabase database = new EmptyDatabase();

    @Autowired
    private QueueInspection inspection;

    private final RestClient http;

    SecondWorkerTests(@LocalServerPort int port) {
        this.http = RestClient.create("http://localhost:" + port);
    }

    @DynamicPropertySource
    static void useTestDatabase(DynamicPropertyRegistry registry) {
        database.use(registry);
    }

    @Test
    void startsAProcessThatJoinsAndKillsIt() {
        long process = ((Number) post("/second-worker/start").get("process")).longValue();
        await().atMost(Duration.ofMinutes(3))
                .until(() -> inspection.workers().stream().anyMatch(worker -> isSecond(worker, process)));
        assertThat(post("/second-worker/start")).as("one is enough").containsEntry("process", (int) process);
        assertThat(post("/second-worker/kill")).containsEntry("killed", true);
        await().until(() ->
                ProcessHandle.of(process).map(handle -> !handle.isAlive()).orElse(true));
        assertThat(post("/second-worker/kill")).containsEntry("killed", false);
        assertThat(read("/konduit/")).contains("<title>konduit-queue</title>");
        assertThat(read("/konduit/api/session")).contains("\"canWrite\":true", "\"token\":null");
        assertThat(read("/konduit/api/overview")).contains("\"findings\"");
    }

    private static boolean isSecond(RegisteredWorker worker, long process) {
        return worker.pid() == process && worker.name().equals("second-worker");
    }

    private String read(String path) {
        return http.get().uri(path).retrieve().body(String.class);
    }

    private Map<String, Object> post(String path) {
        return http.post().uri(path).retrieve().body(new ParameterizedTypeReference<>() {});
    }
}
