package io.konduit.queue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.Schedules;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.test.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.web.client.RestClient;

/** Drives every story over HTTP to its end, on a PostgreSQL that {@code spring.datasource.url} names. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "sample.import-time-per-row=2ms",
            "konduit.queue.retry.initial-interval=100ms",
            "konduit.queue.reaper-interval=500ms"
        })
@DirtiesContext
class SampleApplicationTests {
    private static final TestDatabase database = TestDatabase.create();

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private TaskQueue queue;

    @Autowired
    private Schedules schedules;

    private final RestClient http;

    SampleApplicationTests(@LocalServerPort int port) {
        this.http = RestClient.builder()
                .baseUrl("http://localhost:" + port)
                .defaultStatusHandler(status -> true, (request, response) -> {})
                .build();
    }

    @DynamicPropertySource
    static void useTestDatabase(DynamicPropertyRegistry registry) {
        registry.add("spring.datasource.url", database::jdbcUrl);
    }

    @BeforeAll
    static void installInvariants(@Autowired JdbcClient contextIsUp) {
        database.installInvariants(null);
    }

    @AfterAll
    static void dropDatabase() {
        database.close();
    }

    @Test
    void signUpSendsTheWelcomeMail() {
        EnqueuedTask task = post("/sign-ups?mail=ada@example.org");

        awaitCompleted(task);
        assertThat(count("select count(*) from customer where mail = 'ada@example.org' and welcomed_at is not null"))
                .isEqualTo(1);
    }

    @Test
    void signUpThatIsRolledBackLeavesNoTask() {
        ResponseEntity<String> answer =
                exchange(HttpMethod.POST, "/sign-ups?mail=grace@example.org&fail=true", String.class);

        assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.CONFLICT);
        assertThat(answer.getBody()).contains("was rolled back").contains("answers 404");
        assertThat(count("select count(*) from customer where mail = 'grace@example.org'"))
                .isZero();
        assertThat(count("select count(*) from konduit_tasks where payload ->> 'to' = 'grace@example.org'"))
                .isZero();
    }

    @Test
    void invoiceSucceedsAtItsThirdAttempt() {
        EnqueuedTask first = post("/invoices?order=7");
        EnqueuedTask second = post("/invoices?order=7");

        assertThat(second.task()).isEqualTo(first.task());
        assertThat(second.created()).isFalse();
        assertThat(awaitCompleted(first).attempts()).isEqualTo(3);
    }

    @Test
    void nightlyReportIsScheduledAndCanBeRunNow() {
        await().until(() -> schedules.find("nightly-report").isPresent());
        assertThat(schedules.find("nightly-report").orElseThrow().zone()).isEqualTo("Europe/Berlin");

        TaskId task = schedules.runNow("nightly-report", "ada", null);

        await().untilAsserted(() ->
                assertThat(queue.find(task).orElseThrow().status()).isEqualTo(TaskStatus.COMPLETED));
    }

    @Test
    void importWritesEveryRowOnceAndCheckpoints() {
        EnqueuedTask task = post("/imports?rows=110");

        assertThat(awaitCompleted(task).lastCheckpointAt()).isNotNull();
        assertThat(count("select count(*) from product where task = " + task.task()))
                .isEqualTo(110);
    }

    @Test
    void paymentIsChargedOnceHoweverOftenItIsAskedFor() {
        EnqueuedTask first = post("/payments?order=8&cents=250");
        awaitCompleted(first);
        EnqueuedTask second = post("/payments?order=8&cents=250");

        assertThat(second.task()).isEqualTo(first.task());
        assertThat(second.created()).isFalse();
        assertThat(exchange(HttpMethod.GET, "/payments", PaymentProvider.Charge[].class)
                        .getBody())
                .filteredOn(charge -> charge.orderNumber() == 8)
                .singleElement()
                .satisfies(charge -> assertThat(charge.cents()).isEqualTo(250))
                .satisfies(charge -> assertThat(charge.fencingToken()).isEqualTo(1));
    }

    @Test
    void paymentWhoseWorkerWasLostWaitsForAPerson() {
        TaskId lost = LostPayment.held(queue, jdbc, 9);
        EnqueuedTask task = EnqueuedTask.of(lost);

        assertThat(exchange(HttpMethod.GET, "/held", String.class).getBody()).contains("\"reason\":\"NOT_REAPABLE\"");
        assertThat(exchange(HttpMethod.GET, "/actuator/konduitqueue/held", String.class)
                        .getBody())
                .contains("\"id\":" + lost);
        assertThat(exchange(HttpMethod.GET, "/actuator/konduitqueue/tasks/" + lost, String.class)
                        .getBody())
                .contains("It is held because its worker was lost");
        exchange(HttpMethod.POST, "/held/" + lost + "/release?actor=ada&note=not charged", Void.class);

        assertThat(awaitCompleted(task).lostWorkers()).isEqualTo(1);
        assertThat(exchange(HttpMethod.POST, "/held/" + lost + "/fail?actor=ada", String.class)
                        .getBody())
                .contains("expected it to be HELD, but it is COMPLETED");
    }

    @Test
    void runningImportIsCancelled() {
        EnqueuedTask task = post("/imports?rows=100000");
        await().until(() -> get(task).status() == TaskStatus.RUNNING);

        TaskView cancelled =
                exchange(HttpMethod.DELETE, task.follow(), TaskView.class).getBody();

        assertThat(cancelled).isNotNull();
        assertThat(cancelled.status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    void saysWhatIsWrongWithARequest() {
        assertThat(exchange(HttpMethod.POST, "/imports?rows=0", String.class).getBody())
                .contains("rows must be between 1 and 100000 but is 0.");
        assertThat(exchange(HttpMethod.POST, "/payments?order=9&seconds=-1", String.class)
                        .getBody())
                .contains("seconds must be between 0 and 600 but is -1.");
        assertThat(exchange(HttpMethod.POST, "/sign-ups", String.class).getStatusCode())
                .isEqualTo(HttpStatus.BAD_REQUEST);
        assertThat(exchange(HttpMethod.GET, "/tasks/999999", String.class).getBody())
                .contains("There is no task 999999.");
    }

    @Test
    void showsItsTasksAndActuator() {
        EnqueuedTask task = post("/sign-ups?mail=alan@example.org");

        assertThat(exchange(HttpMethod.GET, "/tasks", TaskView[].class).getBody())
                .extracting(TaskView::id)
                .contains(task.task());
        assertThat(exchange(HttpMethod.GET, "/", String.class).getBody()).contains("konduit-queue sample");
        for (String path : new String[] {"health", "info", "metrics", "prometheus"}) {
            assertThat(exchange(HttpMethod.GET, "/actuator/" + path, String.class)
                            .getStatusCode())
                    .as(path)
                    .isEqualTo(HttpStatus.OK);
        }
    }

    private TaskView awaitCompleted(EnqueuedTask task) {
        return await().atMost(Duration.ofSeconds(30))
                .until(() -> get(task), found -> found.status() == TaskStatus.COMPLETED);
    }

    private TaskView get(EnqueuedTask task) {
        return bodyOf(exchange(HttpMethod.GET, task.follow(), TaskView.class));
    }

    private EnqueuedTask post(String uri) {
        ResponseEntity<EnqueuedTask> answer = exchange(HttpMethod.POST, uri, EnqueuedTask.class);
        assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.ACCEPTED);
        return bodyOf(answer);
    }

    private <T> ResponseEntity<T> exchange(HttpMethod method, String uri, Class<T> type) {
        return http.method(method).uri(uri).retrieve().toEntity(type);
    }

    private static <T> T bodyOf(ResponseEntity<T> answer) {
        T body = answer.getBody();
        assertThat(body).isNotNull();
        return body;
    }

    private long count(String sql) {
        return jdbc.sql(sql).query(Long.class).single();
    }
}
