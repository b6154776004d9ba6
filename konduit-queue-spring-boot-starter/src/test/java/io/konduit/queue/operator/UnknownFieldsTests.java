package io.konduit.queue.operator;

import static io.konduit.queue.operator.RunningApplication.ENDPOINT;
import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.operator.RunningApplication.Answer;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.UUID;
import javax.management.MBeanParameterInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A typing error in a request acts on nothing, and the answer says what was meant. */
@Tag("O2")
class UnknownFieldsTests {
    @RegisterExtension
    static final OperatedApplication operated = OperatedApplication.of(
            List.of(),
            "management.endpoints.web.exposure.include=konduitqueue,health",
            "management.endpoints.jmx.exposure.include=konduitqueue",
            "spring.jmx.enabled=true",
            "konduit.queue.endpoint.allow-writes=true",
            "konduit.queue.reaper-interval=1h");

    private final RunningApplication application = operated.application();
    private final Rows rows = operated.rows();

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            /reclaim           | {'dryRun': false, 'dryrun': true} | Expected only dryRun, note, size, but found 'dryrun'. Did you mean 'dryRun'? Nothing was changed.
            /reclaim           | {'dry-run': false}                | Expected only dryRun, note, size, but found 'dry-run'. Did you mean 'dryRun'? Nothing was changed.
            /clean-abandoned   | {'dryRn': false}                  | Expected only dryRun, note, size, but found 'dryRn'. Did you mean 'dryRun'? Nothing was changed.
            /tasks/%d/release  | {'nota': 'x'}                     | Expected only attempts, delay, note, runAt, but found 'nota'. Did you mean 'note'? Nothing was changed.
            /tasks/%d/fail     | {'actor': 'root'}                 | Expected only attempts, delay, note, runAt, but found 'actor'. Nothing was changed.
            /tasks/%d/cancel   | {'security': 'none'}              | Expected only attempts, delay, note, runAt, but found 'security'. Nothing was changed.
            /tasks/cancel      | {'typ': 'mail', 'dryRun': false}  | Expected only all, attempts, createdAfter, createdBefore, delay, dryRun, errorType, finishedAfter, finishedBefore, holdReason, limit, note, queue, runAt, status, type, but found 'typ'. Did you mean 'type'? Nothing was changed.
            /queues/p/pause    | {'notes': 'x'}                    | Expected only attempts, delay, note, runAt, but found 'notes'. Did you mean 'note'? Nothing was changed.
            """)
    void anUnknownFieldIsRefusedAndNothingIsChanged(String path, String body, String detail) {
        long held = rows.held("pay");
        rows.running("mail", UUID.randomUUID(), "-1 min");
        List<String> before = rows.everything();

        Answer answer = application.post(ENDPOINT + path.formatted(held), body.replace('\'', '"'));

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.contentType()).startsWith("application/problem+json");
        assertThat(answer.detail()).isEqualTo(detail);
        assertThat(rows.everything()).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            ?since=1h            | Expected no field or parameter, but found 'since'. Nothing was changed.
            /tasks?state=FAILED  | Expected only above, after, before, key, queue, since, size, status, type, but found 'state'. Did you mean 'status'? Nothing was changed.
            /held?siz=1          | Expected only above, after, before, key, queue, since, size, status, type, but found 'siz'. Did you mean 'size'? Nothing was changed.
            /tasks/1?payload=yes | Expected no field or parameter, but found 'payload'. Nothing was changed.
            """)
    void anUnknownQueryParameterIsRefused(String path, String detail) {
        Answer answer = application.get(ENDPOINT + path);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.detail()).isEqualTo(detail);
    }

    @Test
    void whatIsKnownIsAcceptedAndSoIsTheTokenOfSpringSecurity() {
        long held = rows.held("pay");
        assertThat(application
                        .post(ENDPOINT + "/tasks/" + held + "/release?_csrf=token", "{\"note\": \"not charged\"}")
                        .status())
                .isEqualTo(200);
        assertThat(application.get(ENDPOINT + "/tasks?status=HELD&size=5").status())
                .isEqualTo(200);
        assertThat(application.get(ENDPOINT).status()).isEqualTo(200);
    }

    /** Actuator lets a body and a query replace parts of the path, which is what access rules look at. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            /tasks/%d/release            | {'id': '%d'}         | id
            /tasks/%d/release            | {'action': 'cancel'} | action
            /tasks/%d/release?id=%d      | {}                   | id
            /tasks/%d/release            | {'id': null}         | id
            /queues/%d/pause             | {'list': 'tasks'}    | list
            /tasks/release               | {'list': 'bulk', 'all': true, 'dryRun': false} | list
            /reclaim                     | {'command': 'clean-abandoned', 'dryRun': false} | command
            """)
    void whatIsInThePathCannotBeReplaced(String path, String body, String name) {
        long meant = rows.held("pay");
        long other = rows.held("pay");
        List<String> before = rows.everything();

        Answer answer = application.post(
                ENDPOINT + path.replaceFirst("%d", "" + meant).replaceFirst("%d", "" + other),
                body.replace('\'', '"').replaceFirst("%d", "" + other));

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.detail())
                .isEqualTo("Expected '" + name + "' in the path only, but found it in the body or query as well."
                        + " Nothing was changed.");
        assertThat(rows.everything()).isEqualTo(before);
    }

    @Test
    void otherEndpointsAreLeftAlone() {
        assertThat(application.get("/actuator/health?anything=goes").status()).isEqualTo(200);
    }

    /** Arguments have positions there, not names: none can be misspelt. */
    @Test
    void overJmxAnOperationTakesItsOwnParametersInTheirOrder() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = server.queryNames(
                        new ObjectName("org.springframework.boot:type=Endpoint,name=Konduitqueue,*"), null)
                .iterator()
                .next();
        assertThat(server.getMBeanInfo(name).getOperations())
                .filteredOn(operation -> operation.getName().equals("command"))
                .singleElement()
                .satisfies(operation -> assertThat(operation.getSignature())
                        .extracting(MBeanParameterInfo::getName)
                        .containsExactly("command", "dryRun", "size", "note"));
    }
}
