package io.konduit.queue.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.enqueue.TaskWakeUp;
import io.konduit.queue.event.TaskFailed;
import io.konduit.queue.recovery.ReclaimEvents;
import io.konduit.queue.recovery.ReclaimMonitor;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.worker.QueueMonitor;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

/** Code of the application runs on no thread that keeps leases, writes outcomes, claims or reaps. */
@Timeout(60)
class ApplicationCodeThreadTests {
    private static final String EVENTS = "konduit-events";

    @RegisterExtension
    static final HostApplication host = new HostApplication();

    @Test
    void listenersMonitorsAndWakeUpsOfTheApplicationHaveAThreadOfTheirOwn() {
        host.plainJdbc().withUserConfiguration(Observers.class).run(context -> {
            Observers observers = context.getBean(Observers.class);
            context.getBean(TaskQueue.class)
                    .enqueue(TaskRequest.of("fails", null).maxAttempts(1));
            await().until(() -> observers.threads.containsKey("listener"));
            await().until(() -> observers.threads.containsKey("monitor"));
            observers.threads.remove("wake-up"); // of the enqueue, on the caller's thread
            ReclaimEvents reaper = context.getBean(ReclaimEvents.class);
            reaper.wakeUp().accept(Set.of("default"));
            reaper.passSucceeded();
            await().until(() -> observers.threads.keySet().containsAll(Set.of("wake-up", "reclaim-monitor")));
            assertThat(observers.threads.values()).containsOnly(EVENTS);
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Observers {
        final ConcurrentHashMap<String, String> threads = new ConcurrentHashMap<>();

        private void heard(String what) {
            threads.put(what, Thread.currentThread().getName());
        }

        @JobHandler("fails")
        void fail() {
            throw new IllegalStateException("no");
        }

        @EventListener
        void on(TaskFailed event) {
            heard("listener");
        }

        @Bean
        QueueMonitor ownMonitor() {
            return new QueueMonitor() {
                @Override
                public void failed(ClaimedTask task, Duration took, String error) {
                    heard("monitor");
                }
            };
        }

        @Bean
        ReclaimMonitor ownReclaimMonitor() {
            return new ReclaimMonitor() {
                @Override
                public void passSucceeded() {
                    heard("reclaim-monitor");
                }
            };
        }

        @Bean
        TaskWakeUp ownWakeUp() {
            return queues -> heard("wake-up");
        }
    }
}
