package io.konduit.queue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskStatus;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * "The review inbox, step by step" of {@code docs/operating.md} with held payments of this sample: its commands as they
 * stand there, but for the port and the id, are all that a person needs.
 */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "konduit.queue.reaper-interval=500ms")
@DirtiesContext
@Tag("O1")
@Tag("O2")
class ReviewInboxDocTests {
    private static final Pattern SHELL = Pattern.compile("```sh\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

    @RegisterExtension
    static final EmptyDatabase database = new EmptyDatabase();

    @LocalServerPort
    private int port;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private TaskQueue queue;

    @Autowired
    private PaymentProvider bank;

    @DynamicPropertySource
    static void useTestDatabase(DynamicPropertyRegistry registry) {
        database.use(registry);
    }

    @Test
    void aPaymentThatTheBankDoesNotKnowIsReleasedAndChargedOnce() {
        TaskId id = LostPayment.held(queue, jdbc, 21);

        JsonNode held = entry(run(command("/held"), id), id);
        assertThat(held.path("reason").asString()).isEqualTo("NOT_REAPABLE");
        assertThat(held.has("previousOwner")).isTrue();
        assertThat(held.path("contents").path("payload").path("order").asLong()).isEqualTo(21);
        JsonNode story = run(command("/tasks/17"), id);
        assertThat(story.path("explanation").asString()).contains("its worker was lost and it is not reapable");
        String key = story.path("task").path("idempotencyKey").asString();
        assertThat(held.path("idempotencyKey").asString()).isEqualTo(key);
        assertThat(bookings(key, id)).as("the bank has no booking").isEmpty();

        JsonNode decided = run(command("/release"), id);

        assertThat(decided.path("task").path("status").asString())
                .as("a worker may have claimed it before the reply was read")
                .isIn("PENDING", "RUNNING", "COMPLETED");
        assertThat(decided.path("incidents").path(0).path("note").asString()).isEqualTo("bank has no booking");
        await().atMost(Duration.ofSeconds(30)).until(() -> status(id) == TaskStatus.COMPLETED);
        assertThat(bookings(key, id))
                .as("the handler gave the bank the key that the inbox shows")
                .singleElement()
                .satisfies(booking ->
                        assertThat(booking.path("orderNumber").asLong()).isEqualTo(21));
    }

    @Test
    void aPaymentThatTheBankHasBookedIsEnded() throws InterruptedException {
        for (String decision : List.of("/fail", "/cancel")) {
            long order = decision.equals("/fail") ? 22 : 23;
            TaskId id = LostPayment.held(queue, jdbc, order);
            Task task = queue.find(id).orElseThrow();
            bank.charge(task.idempotencyKey(), task.leaseEpoch(), new PaymentJobs.Payment(order, 100, 0));

            String key =
                    entry(run(command("/held"), id), id).path("idempotencyKey").asString();
            assertThat(bookings(key, id)).as("the bank knows the key").hasSize(1);
            JsonNode decided = run(command(decision), id);

            assertThat(decided.path("incidents").path(0).path("note").asString())
                    .isEqualTo("booked");
            assertThat(status(id)).isEqualTo(decision.equals("/fail") ? TaskStatus.FAILED : TaskStatus.CANCELLED);
            assertThat(bookings(key, id)).hasSize(1);
        }
    }

    @Test
    void everyFieldThatThePageNamesIsThere() throws IOException {
        TaskId id = LostPayment.held(queue, jdbc, 24);
        update("update konduit_task set unique_key = 'order-24', last_checkpoint_at = clock_timestamp() where id = "
                + id);
        update("insert into konduit_task_error (task_id, lease_epoch, attempt, type, stack, outcome, worker, at)"
                + " values (" + id
                + ", 1, 1, 'java.io.IOException', '', 'RETRIED', gen_random_uuid(), clock_timestamp())");
        update("update konduit_task_incident set late_outcome = 'COMPLETED' where task_id = " + id);
        JsonNode held = entry(run(command("/held"), id), id);
        List<String> named = Pattern.compile("(?m)^\\| (`[^|]*) \\|")
                .matcher(section())
                .results()
                .flatMap(
                        row -> Pattern.compile("`(\\w+)`").matcher(row.group(1)).results())
                .map(name -> name.group(1))
                .toList();
        assertThat(named)
                .hasSizeGreaterThan(10)
                .allSatisfy(name -> assertThat(held.has(name)).as(name).isTrue());
    }

    /** What the bank has under a key, by the page's own command. */
    private List<JsonNode> bookings(String key, TaskId id) {
        List<JsonNode> found = new ArrayList<>();
        run(command("/payments"), id).forEach(booking -> {
            if (booking.path("idempotencyKey").asString().equals(key)) {
                found.add(booking);
            }
        });
        return found;
    }

    private static JsonNode entry(JsonNode inbox, TaskId id) {
        for (JsonNode held : inbox.path("held")) {
            if (held.path("id").asLong() == id.value()) {
                return held;
            }
        }
        throw new AssertionError("Task " + id + " is not in " + inbox);
    }

    /** The command on the page whose address ends like that. */
    private static String command(String end) {
        List<String> commands = SHELL.matcher(section())
                .results()
                .map(block -> block.group(1))
                .flatMap(String::lines)
                .filter(line -> line.endsWith(end))
                .toList();
        assertThat(commands).as("commands on " + end).hasSize(1);
        return commands.get(0);
    }

    private static String section() {
        try {
            String page = Files.readString(Path.of("..", "docs", "operating.md"));
            int from = page.indexOf("\n## The review inbox, step by step\n");
            return page.substring(from, page.indexOf("\n## ", from + 5));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** As curl would: -X, -H, -d and an address. */
    private JsonNode run(String command, TaskId id) {
        List<String> words = new ArrayList<>();
        for (MatchResult word : WORD.matcher(command.replace("tasks/17", "tasks/" + id))
                .results()
                .toList()) {
            words.add(word.group(1) != null ? word.group(1) : word.group(2));
        }
        assertThat(words.get(0)).isEqualTo("curl");
        String method = "GET";
        String body = "";
        HttpRequest.Builder request = HttpRequest.newBuilder();
        for (int i = 1; i < words.size(); i++) {
            switch (words.get(i)) {
                case "-X" -> method = words.get(++i);
                case "-d" -> body = words.get(++i);
                case "-H" -> {
                    String[] header = words.get(++i).split(": ");
                    request.header(header[0], header[1]);
                }
                default ->
                    request.uri(URI.create("http://" + words.get(i).replace("localhost:8080", "localhost:" + port)));
            }
        }
        request.method(
                method,
                body.isEmpty() ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
        try {
            HttpResponse<String> answer =
                    HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(command + "\n" + answer.body()).isEqualTo(200);
            return JsonMapper.builder().build().readTree(answer.body());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private TaskStatus status(TaskId id) {
        return queue.find(id).orElseThrow().status();
    }

    private void update(String sql) {
        assertThat(jdbc.sql(sql).update()).isPositive();
    }
}
