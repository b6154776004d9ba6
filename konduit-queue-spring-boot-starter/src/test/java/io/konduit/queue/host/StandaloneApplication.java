package io.konduit.queue.host;

import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskContext;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A Spring Boot application without a web server, in a JVM of its own. Says on its standard output what it does, and ends
 * at once when whoever started it is gone.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
public class StandaloneApplication {

    public static void main(String[] arguments) {
        inBackground(StandaloneApplication::endWithParent);
        ConfigurableApplicationContext context = SpringApplication.run(StandaloneApplication.class, arguments);
        if (context.getEnvironment().getProperty("standalone.close", Boolean.class, false)) {
            inBackground(context::close);
        }
    }

    @Bean
    ApplicationListener<ApplicationReadyEvent> teller() {
        return event -> System.out.println("ready");
    }

    @Bean
    Jobs jobs() {
        return new Jobs();
    }

    /** Lazy and declared with an interface, so that its handler has to be looked for. */
    @Bean
    @Lazy
    Farewells farewells() {
        return new PoliteFarewells();
    }

    interface Farewells {}

    static class PoliteFarewells implements Farewells {
        @JobHandler("part")
        void part(String name) {
            System.out.println("goodbye " + name);
        }
    }

    static class Jobs {
        @JobHandler("greet")
        void greet(String name) {
            System.out.println("hello " + name);
        }
    }

    @Bean
    LongJobs longJobs(JdbcClient jdbc) {
        return new LongJobs(jdbc);
    }

    /** Runs for a minute the first time, and briefly when it comes back. Each start leaves a row behind. */
    static class LongJobs {
        private final JdbcClient jdbc;

        LongJobs(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @JobHandler("dig")
        void dig(TaskContext task) throws InterruptedException {
            jdbc.sql("insert into digs (task_id, epoch, pid, at) values (?, ?, ?, clock_timestamp())")
                    .params(
                            task.id().value(),
                            task.fencingToken(),
                            ProcessHandle.current().pid())
                    .update();
            if (!task.recovering()) {
                TimeUnit.MINUTES.sleep(1);
            }
        }
    }

    /** The last bean to start cannot. */
    @Bean
    @ConditionalOnProperty("standalone.fail-to-start")
    SmartLifecycle broken() {
        return new SmartLifecycle() {
            @Override
            public void start() {
                throw new IllegalStateException("no licence");
            }

            @Override
            public void stop() {
                // never started
            }

            @Override
            public boolean isRunning() {
                return false;
            }
        };
    }

    private static void inBackground(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
    }

    private static void endWithParent() {
        try {
            while (System.in.read() >= 0) {
                // nothing is ever sent
            }
        } catch (IOException e) {
            // gone as well
        }
        Runtime.getRuntime().halt(99);
    }
}
