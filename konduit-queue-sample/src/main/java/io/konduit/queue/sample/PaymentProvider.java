package io.konduit.queue.sample;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Simulates the payment provider, a remote system that does not know the queue. Its table is the provider's memory. */
@Component
class PaymentProvider {
    private final JdbcClient jdbc;

    /** A charge in the provider's books. */
    record Charge(String idempotencyKey, long fencingToken, long orderNumber, int cents) {}

    /** The provider has heard from a later owner of the task. */
    static class StaleRequestException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    PaymentProvider(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Charges once per key. True when this request did it, false when an earlier one had. */
    boolean charge(String idempotencyKey, long fencingToken, PaymentJobs.Payment payment) throws InterruptedException {
        Thread.sleep(Duration.ofSeconds(payment.seconds()).toMillis());
        Optional<Long> knownToken = jdbc.sql("select fencing_token from provider_charge where idempotency_key = :key")
                .param("key", idempotencyKey)
                .query(Long.class)
                .optional();
        if (knownToken.isEmpty()) {
            jdbc.sql("insert into provider_charge (idempotency_key, fencing_token, order_number, cents)"
                            + " values (:key, :token, :order, :cents)")
                    .param("key", idempotencyKey)
                    .param("token", fencingToken)
                    .param("order", payment.order())
                    .param("cents", payment.cents())
                    .update();
            return true;
        }
        if (fencingToken < knownToken.get()) {
            throw new StaleRequestException();
        }
        return false;
    }

    List<Charge> charges() {
        return jdbc.sql("select idempotency_key, fencing_token, order_number, cents from provider_charge order by 1")
                .query(Charge.class)
                .list();
    }
}
