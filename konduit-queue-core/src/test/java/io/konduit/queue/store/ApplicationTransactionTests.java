package io.konduit.queue.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.QueueHarness;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** Which transaction the queue takes for the application's on its data source. */
@Tag("S1")
class ApplicationTransactionTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private static HikariDataSource otherPool;
    private static TransactionTemplate elsewhere;

    @BeforeAll
    static void openAnotherDataSource() {
        otherPool = harness.testDatabase().newPool(2);
        elsewhere = new TransactionTemplate(new DataSourceTransactionManager(otherPool));
    }

    @AfterAll
    static void closeIt() {
        otherPool.close();
    }

    @Test
    void withoutATransactionThereIsNone() {
        assertThat(harness.database().callerTransaction().current()).isNull();
    }

    @Test
    void aTransactionOnTheDataSourceIsIt() {
        harness.transaction().executeWithoutResult(status -> {
            assertThat(harness.database().callerTransaction().current()).isNotNull();
            assertThat(isIt(status)).isTrue();
        });
    }

    @Test
    void aSuspendedTransactionIsNotIt() {
        TransactionTemplate apart = harness.transaction();
        apart.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        TransactionTemplate outside = harness.transaction();
        outside.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
        harness.transaction().executeWithoutResult(status -> {
            Object outer = harness.database().callerTransaction().current();
            apart.executeWithoutResult(
                    inner -> assertThat(harness.database().callerTransaction().current())
                            .isNotNull()
                            .isNotSameAs(outer));
            outside.executeWithoutResult(none ->
                    assertThat(harness.database().callerTransaction().current()).isNull());
            assertThat(harness.database().callerTransaction().current()).isSameAs(outer);
        });
    }

    @Test
    void aConnectionThatATransactionElsewhereKeepsOpenIsNotIt() {
        elsewhere.executeWithoutResult(status -> {
            harness.jdbc().sql("select 1").query(Integer.class).single();
            assertThat(harness.database().callerTransaction().current()).isNull();
            assertThat(isIt(status)).isFalse();
        });
    }

    @Test
    void aTransactionElsewhereInsideItIsNotIt() {
        harness.transaction().executeWithoutResult(outer -> {
            elsewhere.executeWithoutResult(inner -> {
                assertThat(harness.database().callerTransaction().current()).isNotNull();
                assertThat(isIt(inner)).isFalse();
            });
            assertThat(isIt(outer)).isTrue();
        });
    }

    private static boolean isIt(TransactionStatus status) {
        return harness.database().callerTransaction().isFrom(status);
    }
}
