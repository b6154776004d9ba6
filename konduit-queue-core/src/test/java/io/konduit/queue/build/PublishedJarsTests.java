package io.konduit.queue.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Both builds publish the same modules, with sources and Javadoc. */
class PublishedJarsTests {
    private static final BuildFiles FILES = BuildFiles.ofRepository();

    private static List<String> modules() {
        return List.copyOf(MavenBuild.read(FILES).modules().keySet());
    }

    private static boolean isPublished(String module) {
        return FILES.text(module + "/build.gradle.kts").contains("`maven-publish`");
    }

    @Test
    void publishedModulesHaveASourcesJarInMaven() {
        assertThat(modules())
                .filteredOn(PublishedJarsTests::isPublished)
                .contains("konduit-queue-core", "konduit-queue-spring-boot-starter", "konduit-queue-test")
                .allSatisfy(module -> {
                    assertThat(FILES.text(module + "/pom.xml"))
                            .contains("<artifactId>maven-source-plugin</artifactId>");
                    assertThat(FILES.text(module + "/pom.xml"))
                            .doesNotContain("maven.javadoc.skip", "maven.deploy.skip");
                });
    }

    @Test
    void otherModulesHaveNeitherSourcesNorJavadocInMaven() {
        assertThat(modules())
                .filteredOn(module -> !isPublished(module))
                .isNotEmpty()
                .allSatisfy(module -> {
                    assertThat(FILES.text(module + "/pom.xml"))
                            .contains("<maven.javadoc.skip>true</maven.javadoc.skip>");
                    assertThat(FILES.text(module + "/pom.xml")).doesNotContain("maven-source-plugin");
                });
    }

    @Test
    void gradlePublishesBoth() {
        assertThat(FILES.text("build.gradle.kts")).contains("withSourcesJar()", "withJavadocJar()");
    }
}
