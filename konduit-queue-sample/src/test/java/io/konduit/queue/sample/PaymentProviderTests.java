package io.konduit.queue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.konduit.queue.sample.PaymentProvider.StaleRequestException;
import io.konduit.queue.test.TestDatabase;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

class PaymentProviderTests {
    private final PaymentJobs.Payment payment = new PaymentJobs.Payment(7, 1990, 0);

    @Test
    void chargesOnceForEachKeyAndRefusesAnOlderToken() throws Exception {
        try (TestDatabase database = TestDatabase.create()) {
            new ResourceDatabasePopulator(new ClassPathResource("schema.sql")).execute(database.dataSource());
            PaymentProvider provider = new PaymentProvider(JdbcClient.create(database.dataSource()));

            assertThat(provider.charge("key", 2, payment)).isTrue();
            assertThat(provider.charge("key", 3, payment)).isFalse();
            assertThatExceptionOfType(StaleRequestException.class).isThrownBy(() -> provider.charge("key", 1, payment));
            assertThat(provider.charges()).hasSize(1);
        }
    }
}
