package io.konduit.queue.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.handler.JobHandlerRegistry;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;

/** Handlers of beans whose declared type does not show them. */
@ExtendWith(OutputCaptureExtension.class)
class LazyHandlersTests {
    private static final AtomicInteger OTHERS_MADE = new AtomicInteger();

    @RegisterExtension
    static final HostApplication host = new HostApplication();

    private final ApplicationContextRunner application = host.plainJdbc();

    @BeforeEach
    void forget() {
        OTHERS_MADE.set(0);
    }

    @Test
    void handlersOfALazyBeanThatIsDeclaredWithItsInterfaceAreFound(CapturedOutput output) {
        application.withUserConfiguration(LazyByInterface.class).run(context -> {
            TaskId id = context.getBean(TaskQueue.class).enqueue("lazy.invoice", null);
            host.awaitStatus(id, "COMPLETED");
            assertThat(OTHERS_MADE).as("beans without handlers stay lazy").hasValue(0);
        });
        assertThat(output).doesNotContain("could not be searched");
    }

    @Test
    void theyAreFoundToWhenEveryBeanIsLazy() {
        application
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .withUserConfiguration(ByInterface.class)
                .run(context -> assertThat(
                                context.getBean(JobHandlerRegistry.class).types())
                        .contains("lazy.invoice"));
    }

    @Test
    void handlersOfABeanThatIsDeclaredWithItsInterfaceAreFound() {
        application.withUserConfiguration(ByInterface.class).run(context -> assertThat(
                        context.getBean(JobHandlerRegistry.class).types())
                .contains("lazy.invoice"));
    }

    @Test
    void aLazyBeanThatCannotBeSearchedIsNamed(CapturedOutput output) {
        application.withUserConfiguration(MadeElsewhere.class).run(context -> assertThat(
                        context.getBean(JobHandlerRegistry.class).types())
                .doesNotContain("lazy.invoice"));
        assertThat(output)
                .contains(
                        "Lazy beans [elsewhere, elsewhereToo] are declared with an interface or an abstract class and could not be searched")
                .contains("declare its @Bean method with the class, or remove @Lazy");
    }

    @Test
    void aPrototypeWhoseHandlersAreHiddenIsNamed(CapturedOutput output) {
        application.withUserConfiguration(Prototype.class).run(context -> assertThat(context)
                .hasNotFailed());
        assertThat(output)
                .contains("Bean 'prototype' has @JobHandler methods that are not found")
                .contains("Declare the method with the class InvoiceJobs");
    }

    interface Jobs {}

    interface Clock {
        long now();
    }

    static class InvoiceJobs implements Jobs {
        @JobHandler("lazy.invoice")
        void send() {}
    }

    abstract static class Base {}

    static class ReminderJobs extends Base {
        @JobHandler("lazy.reminder")
        void send() {}
    }

    static class Other implements Jobs {
        Other() {
            OTHERS_MADE.incrementAndGet();
        }
    }

    @Configuration
    static class LazyByInterface {
        @Bean
        @Lazy
        Jobs invoices() {
            return new InvoiceJobs();
        }

        @Bean
        @Lazy
        Jobs others() {
            return new Other();
        }

        @Bean
        @Lazy
        Clock clock() {
            return () -> 1;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ByInterface {
        @Bean
        Jobs invoices() {
            return new InvoiceJobs();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MadeElsewhere {
        @Bean
        @Lazy
        Jobs elsewhere() {
            return Factory.make();
        }

        @Bean
        @Lazy
        Base elsewhereToo() {
            return Factory.makeToo();
        }
    }

    static class Factory {
        static Jobs make() {
            return new InvoiceJobs();
        }

        static Base makeToo() {
            return new ReminderJobs();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Prototype {
        @Bean
        @Scope(BeanDefinition.SCOPE_PROTOTYPE)
        Jobs prototype() {
            return new InvoiceJobs();
        }
    }
}
