package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.store.Claim;
import io.konduit.queue.store.ClaimRequest;
import io.konduit.queue.store.ClaimRequest.Probe;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.worker.LostClaims.Ticket;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.UncategorizedSQLException;

/** Which leases in its own name a worker may give back. */
@Tag("L13")
class LostClaimsTests {
    private static final Duration BEAT = Duration.ofSeconds(10);
    private static final RuntimeException NO_REPLY = failure("08006");

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final AtomicLong nanos = new AtomicLong();
    private final ActiveLeases active = new ActiveLeases();
    private final LeaseRepository leases = harness.newWorker();
    private final LostClaims lostClaims = new LostClaims(leases, active, BEAT, nanos::get, delay -> {});

    @Test
    void nothingIsAskedWhileEveryClaimGetsItsReply() {
        enqueue();
        receive(lostClaims.begin(), claim());
        assertThat(lostClaims.nanosToLook()).isEqualTo(Long.MAX_VALUE);
    }

    /** Whatever has become of it meanwhile: it may be one that must not run twice and is left to the reaper. */
    @Test
    void leaseOfAClaimThatWasReceivedAfterALostOneIsNotGivenBack() {
        enqueue();
        receive(lostClaims.begin(), claim());
        lostClaims.failed(lostClaims.begin(), NO_REPLY);
        TaskId known = enqueue();
        receive(lostClaims.begin(), claim());
        active.all().forEach(active::remove);
        lostClaims.lookIfDue();
        assertThat(harness.status(known)).isEqualTo("RUNNING");
    }

    @Test
    void whatTheServerRefusedTookNothing() {
        lostClaims.failed(lostClaims.begin(), failure("57014"));
        lostClaims.failed(lostClaims.begin(), failure("40P01"));
        assertThat(lostClaims.nanosToLook()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void tasksOfAClaimWithoutAReplyAreGivenBackUncharged() {
        TaskId id = lose();
        assertThat(lostClaims.nanosToLook()).isZero();
        lostClaims.lookIfDue();
        assertThat(harness.status(id)).isEqualTo("PENDING");
        assertThat(attemptsLeft(id)).isEqualTo(3);
    }

    /** A lock may keep it back until long after the connection was given up. */
    @Test
    void claimThatIsCarriedOutLaterIsFoundByALaterLook() {
        lostClaims.failed(lostClaims.begin(), NO_REPLY);
        lostClaims.lookIfDue();
        TaskId id = enqueue();
        claim();
        long passed = 0;
        while (harness.status(id).equals("RUNNING")) {
            passed += lostClaims.nanosToLook();
            nanos.addAndGet(lostClaims.nanosToLook());
            lostClaims.lookIfDue();
        }
        assertThat(Duration.ofNanos(passed)).isLessThanOrEqualTo(Duration.ofMillis(100));
        assertThat(harness.status(id)).isEqualTo("PENDING");
    }

    @Test
    void looksLessAndLessOftenAndAfterTenMinutesNoMore() {
        lostClaims.failed(lostClaims.begin(), NO_REPLY);
        int looks = 0;
        while (lostClaims.nanosToLook() != Long.MAX_VALUE) {
            assertThat(lostClaims.nanosToLook()).isLessThanOrEqualTo(BEAT.toNanos());
            nanos.addAndGet(lostClaims.nanosToLook());
            lostClaims.lookIfDue();
            looks++;
        }
        assertThat(Duration.ofNanos(nanos.get())).isBetween(Duration.ofMinutes(10), Duration.ofSeconds(611));
        assertThat(looks).isBetween(60, 80);
    }

    /** Such as one that must not run twice and did not end well: its lease ends, and it is held for a person. */
    @Test
    void leaseThatThisWorkerKnewAndLetGoStaysForTheReaper() {
        Ticket lost = lostClaims.begin();
        TaskId before = enqueue();
        receive(lostClaims.begin(), claim());
        TaskId unknown = enqueue();
        claim();
        lostClaims.failed(lost, NO_REPLY);
        TaskId after = enqueue();
        receive(lostClaims.begin(), claim());

        lostClaims.look();

        assertThat(harness.status(unknown)).isEqualTo("PENDING");
        assertThat(harness.status(before)).isEqualTo("RUNNING");
        assertThat(harness.status(after)).isEqualTo("RUNNING");
    }

    @Test
    void leaseThatThisWorkerLetGoBeforeTheLostClaimStaysForTheReaper() {
        TaskId before = enqueue();
        receive(lostClaims.begin(), claim());
        TaskId unknown = lose();
        lostClaims.look();
        assertThat(harness.status(before)).isEqualTo("RUNNING");
        assertThat(harness.status(unknown)).isEqualTo("PENDING");
    }

    @Test
    void claimThatWasLostAfterTheClockHadBeenSetBackIsFound() {
        lostClaims.received(lostClaims.begin(), inMicros(Duration.ofHours(1)));
        TaskId unknown = lose();
        lostClaims.look();
        assertThat(harness.status(unknown)).isEqualTo("PENDING");
    }

    /** It cannot be told from a known one: the reaper decides when its lease ends. */
    @Test
    void claimThatIsNotLaterThanAForgottenOneStaysForTheReaper() {
        lostClaims.received(lostClaims.begin(), inMicros(Duration.ofHours(1)));
        for (int i = 0; i < LostClaims.REMEMBERED; i++) {
            lostClaims.received(lostClaims.begin(), inMicros(Duration.ofNanos(1_000L * i)));
        }
        TaskId id = lose();
        lostClaims.look();
        assertThat(harness.status(id)).isEqualTo("RUNNING");
    }

    @Test
    void noTimeIsForgottenThatAClaimUnderWayMayNeed() {
        TaskId before = enqueue();
        receive(lostClaims.begin(), claim());
        Ticket underWay = lostClaims.begin();
        for (int i = 0; i < 2 * LostClaims.REMEMBERED; i++) {
            lostClaims.received(lostClaims.begin(), inMicros(Duration.ofHours(1)) + i);
        }
        TaskId unknown = enqueue();
        claim();
        lostClaims.failed(underWay, NO_REPLY);
        lostClaims.look();
        assertThat(harness.status(before)).isEqualTo("RUNNING");
        assertThat(harness.status(unknown)).isEqualTo("PENDING");
    }

    @Test
    void leaseThatRunsIsNotGivenBackAlsoWhenItsClaimFailedInTheMiddle() {
        TaskId id = enqueue();
        Ticket ticket = lostClaims.begin();
        active.add(new RunningTask(claim().tasks().get(0), Duration.ZERO, 0));
        lostClaims.failed(ticket, new OutOfMemoryErrorOfTheTest());
        lostClaims.look();
        assertThat(harness.status(id)).isEqualTo("RUNNING");
    }

    @Test
    void leaseOfAClaimUnderWayWaitsForItsEnd() {
        lostClaims.failed(lostClaims.begin(), NO_REPLY);
        TaskId id = enqueue();
        Ticket underWay = lostClaims.begin();
        Claim claim = claim();
        lostClaims.look();
        assertThat(harness.status(id)).isEqualTo("RUNNING");
        receive(underWay, claim);
        lostClaims.look();
        assertThat(harness.status(id)).as("it was received").isEqualTo("RUNNING");
    }

    @Test
    void laterClaimsDoNotKeepAnUnknownLeaseFromBeingGivenBack() {
        TaskId id = lose();
        Ticket first = lostClaims.begin();
        lostClaims.look();
        assertThat(harness.status(id)).isEqualTo("RUNNING");
        lostClaims.begin();
        lostClaims.look();
        assertThat(harness.status(id)).isEqualTo("RUNNING");
        lostClaims.received(first, null);
        lostClaims.look();
        assertThat(harness.status(id)).as("a later one is under way").isEqualTo("PENDING");
    }

    private static final class OutOfMemoryErrorOfTheTest extends Error {
        private static final long serialVersionUID = 1;
    }

    private static long inMicros(Duration fromNow) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now().plus(fromNow));
    }

    private TaskId lose() {
        TaskId id = enqueue();
        Ticket ticket = lostClaims.begin();
        claim();
        lostClaims.failed(ticket, NO_REPLY);
        return id;
    }

    private void receive(Ticket ticket, Claim claim) {
        assertThat(claim.tasks()).hasSize(1);
        lostClaims.received(ticket, claim.atMicros());
    }

    private static TaskId enqueue() {
        return harness.queue().enqueue("pay", null);
    }

    private Claim claim() {
        List<Probe> probes = List.of(new Probe("default", 2, "-infinity"));
        return leases.claim(new ClaimRequest(probes, 1, Duration.ofMinutes(5), 3, List.of(), List.of("pay")));
    }

    private static int attemptsLeft(TaskId id) {
        return harness.jdbc()
                .sql("select max_attempts - attempts from konduit_task where id = :id")
                .param("id", id.value())
                .query(Integer.class)
                .single();
    }

    private static RuntimeException failure(String state) {
        return new UncategorizedSQLException("claim", "select", new SQLException("The test says so.", state));
    }
}
