package bench;

import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskQueue;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.jobrunr.scheduling.JobScheduler;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.TriggerBuilder;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.scheduling.quartz.SchedulerFactoryBean;

/**
 * The same Spring Boot application with the starter of one system, or with none. All starters are on the class path; those of the
 * other systems are excluded.
 */
public final class StarterApp {
    static final List<String> SYSTEMS = List.of("none", "konduit", "db-scheduler", "jobrunr", "quartz");
    static final AtomicLong RUNS = new AtomicLong();
    private static final int MEGABYTE = 1 << 20;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        @Profile("konduit")
        KonduitJobs konduitJobs() {
            return new KonduitJobs();
        }

        @Bean
        @Profile("db-scheduler")
        Task<Void> dbSchedulerJob() {
            return Tasks.oneTime("noop").execute((instance, context) -> RUNS.incrementAndGet());
        }
    }

    /** What Spring Boot's starter for Quartz configures, clustered and with the tables in the database. */
    @Configuration(proxyBeanMethods = false)
    @Profile("quartz")
    static class QuartzStarter {
        @Bean
        SchedulerFactoryBean quartzScheduler(DataSource dataSource) {
            Properties properties = new Properties();
            properties.put(
                    "org.quartz.jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate");
            properties.put("org.quartz.jobStore.isClustered", "true");
            properties.put("org.quartz.scheduler.instanceId", "AUTO");
            SchedulerFactoryBean factory = new SchedulerFactoryBean();
            factory.setDataSource(dataSource);
            factory.setQuartzProperties(properties);
            return factory;
        }
    }

    static class KonduitJobs {
        @JobHandler("noop")
        void run() {
            RUNS.incrementAndGet();
        }
    }

    public static class QuartzJob implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            RUNS.incrementAndGet();
        }
    }

    /** For JobRunr, which calls it by name. */
    public static void noop() {
        RUNS.incrementAndGet();
    }

    private interface Enqueue {
        void one() throws Exception;
    }

    private StarterApp() {}

    /** Its packages of auto-configuration, by which the others are excluded. */
    private static final Map<String, String> PACKAGES = Map.of(
            "konduit", "io.konduit.",
            "db-scheduler", "com.github.kagkarlsson.",
            "jobrunr", "org.jobrunr.");

    private static String excluded(String system) throws Exception {
        List<String> excluded = new ArrayList<>();
        var files = StarterApp.class
                .getClassLoader()
                .getResources("META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports");
        while (files.hasMoreElements()) {
            try (var in = files.nextElement().openStream()) {
                new String(in.readAllBytes(), StandardCharsets.UTF_8)
                        .lines()
                        .map(line -> line.replaceAll("#.*", "").trim())
                        .filter(name -> PACKAGES.entrySet().stream()
                                .anyMatch(entry -> !entry.getKey().equals(system) && name.startsWith(entry.getValue())))
                        .forEach(excluded::add);
            }
        }
        return String.join(",", excluded);
    }

    /** {@code StarterApp <system> <jdbc url>}: starts it, tells how long that took, and answers line by line. */
    public static void main(String[] a) throws Exception {
        String system = a[0];
        Map<String, Object> settings = new HashMap<>();
        settings.put("spring.main.banner-mode", "off");
        settings.put("spring.jmx.enabled", false);
        settings.put("spring.profiles.active", system);
        settings.put("spring.datasource.url", a[1]);
        settings.put("spring.datasource.username", "postgres");
        settings.put("spring.autoconfigure.exclude", excluded(system));
        settings.put("db-scheduler.immediate-execution-enabled", true);
        settings.put("jobrunr.background-job-server.enabled", true);
        settings.put("jobrunr.dashboard.enabled", false);
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class, QuartzStarter.class)
                .web(WebApplicationType.NONE)
                .properties(settings)
                .run();
        long up = System.currentTimeMillis()
                - ManagementFactory.getRuntimeMXBean().getStartTime();
        System.out.println(Child.MARK + up);
        Enqueue enqueue = enqueue(system, context);
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = in.readLine()) != null; ) {
            System.out.println(Child.MARK + answer(line.split(" "), enqueue));
        }
        System.exit(0);
    }

    private static String answer(String[] question, Enqueue enqueue) throws Exception {
        if (question[0].equals("use")) {
            System.gc();
            long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
            return resident() + " " + heap / (double) MEGABYTE;
        }
        long before = RUNS.get();
        long jobs = Long.parseLong(question[1]);
        for (long i = 0; i < jobs; i++) enqueue.one();
        boolean all = Lab.await(120, () -> RUNS.get() - before >= jobs);
        return all ? "done" : "only " + (RUNS.get() - before);
    }

    private static Enqueue enqueue(String system, ConfigurableApplicationContext context) {
        switch (system) {
            case "konduit" -> {
                TaskQueue queue = context.getBean(TaskQueue.class);
                return () -> queue.enqueue("noop", null);
            }
            case "db-scheduler" -> {
                SchedulerClient client = context.getBean(SchedulerClient.class);
                return () -> client.schedule(
                        new TaskInstance<Void>("noop", UUID.randomUUID().toString()), java.time.Instant.now());
            }
            case "jobrunr" -> {
                JobScheduler scheduler = context.getBean(JobScheduler.class);
                return () -> scheduler.enqueue(() -> StarterApp.noop());
            }
            case "quartz" -> {
                Scheduler scheduler = context.getBean(Scheduler.class);
                return () -> scheduler.scheduleJob(
                        JobBuilder.newJob(QuartzJob.class)
                                .withIdentity(UUID.randomUUID().toString())
                                .build(),
                        TriggerBuilder.newTrigger().startNow().build());
            }
            default -> {
                return RUNS::incrementAndGet;
            }
        }
    }

    private static double resident() throws Exception {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                        .filter(line -> line.startsWith("VmRSS"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                        .findFirst()
                        .orElse(0)
                / 1024.0;
    }
}
