package io.konduit.queue.build;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.regex.Matcher;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the readers of the two builds do not understand they refuse, so that nothing is left out of the comparison. */
class BuildsAgreeReaderTests {
    private static final BuildFiles FILES = BuildFiles.ofRepository();
    private static final String CORE_POM = "konduit-queue-core/pom.xml";
    private static final String CORE_SCRIPT = "konduit-queue-core/build.gradle.kts";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "implementation(\"org.example:lib:1.0\")",
                "implementation(libs.spring.core) { isTransitive = false }",
                "implementation(libs.spring.core); api(libs.spring.core)",
                "implementation(libs.not.in.the.catalog)",
                "implementation(platform(libs.spring.boot.dependencies))",
                "developmentOnly(libs.spring.tx)",
                "add(\"implementation\", libs.spring.core)",
                "if (true) implementation(libs.spring.core)",
                "api(libs.slf4j.api)",
                "listOf(1).forEach {"
            })
    void refusesDependencyLineThatItDoesNotUnderstand(String line) {
        BuildFiles changed = FILES.with(
                CORE_SCRIPT,
                script -> script.replaceFirst("dependencies \\{", "$0\n    " + Matcher.quoteReplacement(line)));

        assertThatIllegalStateException()
                .isThrownBy(() -> GradleBuild.read(changed))
                .withMessageStartingWith(CORE_SCRIPT)
                .withMessageMatching("(?s).*(Write|Use|Add|Keep) .*");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            konduit-queue-core/build.gradle.kts | project.dependencies.add("api", "a:b:1")
            konduit-queue-core/build.gradle.kts | java { sourceCompatibility = JavaVersion.VERSION_21 }
            konduit-queue-core/build.gradle.kts | tasks.compileJava { options.release = 21 }
            build.gradle.kts                    | subprojects { dependencies { add("api", "a:b:1") } }
            build.gradle.kts                    | version = "2"
            settings.gradle.kts                 | include(listOf("a"))
            settings.gradle.kts                 | includeBuild("other")
            gradle/libs.versions.toml           | [bundles]
            gradle/libs.versions.toml           | other = { id = "other", version.ref = "nowhere" }
            """)
    void refusesFormsThatItDoesNotUnderstand(String file, String line) {
        BuildFiles changed = FILES.with(file, text -> text + "\n" + line + "\n");

        assertThatIllegalStateException()
                .isThrownBy(() -> GradleBuild.read(changed))
                .withMessageContaining(file);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            <exclusions/>          | <exclusions> of org.springframework:spring-tx is not understood
            <classifier>x</classifier> | <classifier> of org.springframework:spring-tx is not understood
            <scope>system</scope>  | the scope 'system' of org.springframework:spring-tx has no counterpart
            <version>${no}</version> | uses ${no}, which the root pom.xml does not define
            """)
    void refusesPomDependencyThatItDoesNotUnderstand(String child, String message) {
        BuildFiles changed = FILES.with(
                CORE_POM,
                pom -> pom.replace("<artifactId>spring-tx</artifactId>", "<artifactId>spring-tx</artifactId>" + child));

        assertThatIllegalStateException()
                .isThrownBy(() -> MavenBuild.read(changed))
                .withMessageContaining(CORE_POM)
                .withMessageContaining(message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<dependencies><dependency><artifactId>x</artifactId></dependency></dependencies>",
                "<profiles><profile><dependencies><dependency/></dependencies></profile></profiles>",
                "<build><plugins><plugin><artifactId>maven-compiler-plugin</artifactId><configuration><release>21</release>"
                        + "</configuration></plugin></plugins></build>"
            })
    void refusesRootPomThatHidesWhatModulesGet(String element) {
        BuildFiles changed = FILES.with("pom.xml", pom -> pom.replace("</project>", element + "</project>"));

        assertThatIllegalStateException()
                .isThrownBy(() -> MavenBuild.read(changed))
                .withMessageStartingWith("pom.xml");
    }
}
