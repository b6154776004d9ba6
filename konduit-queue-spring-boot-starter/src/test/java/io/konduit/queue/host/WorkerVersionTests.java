package io.konduit.queue.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.admin.QueueInspection;
import io.konduit.queue.admin.RegisteredWorker;
import java.util.Properties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Which versions a worker registers with. */
@Tag("H1")
class WorkerVersionTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    private final ApplicationContextRunner application = host.plainJdbc();

    @Test
    void theVersionOfTheLibraryIsThatOfTheBuild() {
        application.run(context -> {
            assertThat(worker(context).version()).matches("\\d+\\.\\d+\\.\\d+(-\\w+)?");
            assertThat(worker(context).applicationVersion()).isNull();
        });
    }

    @Test
    void theVersionOfTheApplicationComesFromItsBuildInformation() {
        Properties build = new Properties();
        build.setProperty("version", "4.2.0");
        application
                .withBean(BuildProperties.class, () -> new BuildProperties(build))
                .withPropertyValues("spring.application.version=1.0.0")
                .run(context -> assertThat(worker(context).applicationVersion()).isEqualTo("4.2.0"));
    }

    @Test
    void elseItComesFromTheManifestThatSpringBootReads() {
        application
                .withPropertyValues("spring.application.version=1.0.0")
                .run(context -> assertThat(worker(context).applicationVersion()).isEqualTo("1.0.0"));
    }

    private static RegisteredWorker worker(ApplicationContext context) {
        return context.getBean(QueueInspection.class).workers().get(0);
    }
}
