package io.konduit.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.host.HostApplication;
import io.konduit.queue.jdbc.EndedTransactions;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.worker.LeaseFence;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;

@Tag("F3")
class TransactionListenerRegistrarTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    private final ApplicationContextRunner application = host.plainJdbc();

    @Test
    void theOnlyManagerHasTheFenceOnce() {
        application.run(context -> assertThat(fencesOf(context, ConfigurableTransactionManager.class, null))
                .isEqualTo(1));
    }

    @Test
    void everyManagerHasTheFenceOnceHoweverItIsMade() {
        application.withUserConfiguration(ManyManagers.class).run(context -> {
            for (String name : List.of("first", "fixedListeners", "lazy", "made", "prototype", "byHand")) {
                assertThat(fencesOf(context, ConfigurableTransactionManager.class, name))
                        .as(name)
                        .isEqualTo(1);
            }
        });
    }

    @Test
    void theApplicationsOwnListenersStay() {
        application.withUserConfiguration(ManyManagers.class).run(context -> assertThat(
                        context.getBean("fixedListeners", ConfigurableTransactionManager.class)
                                .getTransactionExecutionListeners())
                .contains(ManyManagers.OWN_LISTENER));
    }

    @Test
    void aLazyManagerIsNotMadeForTheFence() {
        application.withUserConfiguration(ManyManagers.class).run(context -> assertThat(
                        context.getBeanFactory().containsSingleton("lazy"))
                .isFalse());
    }

    @Test
    void aManagerOfAParentContextHasTheFenceToo() {
        new ApplicationContextRunner()
                .withBean("inherited", JdbcTransactionManager.class, () -> manager())
                .run(parent -> application.withParent(parent).run(context -> assertThat(
                                fencesOf(context, ConfigurableTransactionManager.class, "inherited"))
                        .isEqualTo(1)));
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aManagerThatTakesNoListenersIsWarnedAbout(CapturedOutput output) {
        application
                .withBean("strange", PlatformTransactionManager.class, StrangeManager::new)
                .run(context -> assertThat(output)
                        .contains("WARN")
                        .contains("Transaction manager 'strange' (" + StrangeManager.class.getName()
                                + ") accepts no listeners"));
    }

    @Test
    void aProducerHasNoFence() {
        application.withPropertyValues("konduit.queue.worker.enabled=false").run(context -> assertThat(context)
                .doesNotHaveBean(LeaseFence.class));
    }

    @Test
    @Tag("S1")
    void theManagerOfAProducerTellsOfItsTransactions() {
        application.withPropertyValues("konduit.queue.worker.enabled=false").run(context -> assertThat(
                        context.getBean(ConfigurableTransactionManager.class).getTransactionExecutionListeners())
                .containsOnlyOnce(context.getBean(QueueDatabase.class).endedTransactions()));
    }

    @Test
    @Tag("S1")
    void aProducerThatMakesItsBeansLazilyIsNotMadeToConnect() {
        application
                .withPropertyValues("konduit.queue.worker.enabled=false")
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> {
                    ConfigurableTransactionManager manager = context.getBean(ConfigurableTransactionManager.class);
                    assertThat(context.getBeanFactory().containsSingleton("konduitQueueDatabase"))
                            .isFalse();
                    assertThat(manager.getTransactionExecutionListeners()).isEmpty();
                    EndedTransactions listener =
                            context.getBean(QueueDatabase.class).endedTransactions();
                    assertThat(manager.getTransactionExecutionListeners()).containsOnlyOnce(listener);
                });
    }

    private static long fencesOf(ApplicationContext context, Class<ConfigurableTransactionManager> type, String name) {
        ConfigurableTransactionManager manager = name == null ? context.getBean(type) : context.getBean(name, type);
        return manager.getTransactionExecutionListeners().stream()
                .filter(LeaseFence.class::isInstance)
                .count();
    }

    private static JdbcTransactionManager manager() {
        return new JdbcTransactionManager(host.database().dataSource());
    }

    @Configuration(proxyBeanMethods = false)
    static class ManyManagers {
        static final TransactionExecutionListener OWN_LISTENER = new TransactionExecutionListener() {};

        ManyManagers(org.springframework.beans.factory.config.ConfigurableListableBeanFactory beans) {
            beans.registerSingleton("byHand", manager());
        }

        @Bean
        @Primary
        JdbcTransactionManager first(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        JdbcTransactionManager fixedListeners() {
            JdbcTransactionManager manager = manager();
            manager.setTransactionExecutionListeners(List.of(OWN_LISTENER));
            return manager;
        }

        @Bean
        @Lazy
        JdbcTransactionManager lazy() {
            return manager();
        }

        @Bean
        @Scope("prototype")
        JdbcTransactionManager prototype() {
            return manager();
        }

        @Bean
        ManagerFactory made() {
            return new ManagerFactory();
        }
    }

    static class ManagerFactory implements FactoryBean<JdbcTransactionManager> {
        @Override
        public JdbcTransactionManager getObject() {
            return manager();
        }

        @Override
        public Class<?> getObjectType() {
            return JdbcTransactionManager.class;
        }
    }

    /** A manager of the application's own that knows nothing of listeners. */
    static class StrangeManager implements PlatformTransactionManager {
        @Override
        public TransactionStatus getTransaction(TransactionDefinition definition) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void commit(TransactionStatus status) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void rollback(TransactionStatus status) {
            throw new UnsupportedOperationException();
        }
    }
}
