package io.konduit.queue.build;

import java.util.SortedMap;

/**
 * What one of the two builds declares, in words that fit both.
 *
 * @param facts what there is once: project name, group, version, Java level, version of the Spring Boot plugin
 * @param versions the named versions of dependencies; {@code shedlock} is {@code <shedlock.version>} in Maven
 * @param boms the version of each imported BOM by {@code group:artifact}
 * @param pinned versions given to dependencies that no module declares
 * @param modules the direct dependencies of each module by {@code group:artifact}
 */
record DeclaredBuild(
        SortedMap<String, String> facts,
        SortedMap<String, String> versions,
        SortedMap<String, String> boms,
        SortedMap<String, String> pinned,
        SortedMap<String, SortedMap<String, Dependency>> modules) {

    /** The version of a dependency for which the build itself names none. */
    static final String UNNAMED = "no version (the BOM's)";

    /** Where a dependency is needed, and how Gradle and Maven write that. */
    enum Scope {
        COMPILE("implementation", "no scope"),
        OPTIONAL("compileOnly", "<optional>true</optional>"),
        PROCESSOR("annotationProcessor", "<optional>true</optional>"),
        RUNTIME("runtimeOnly", "<scope>runtime</scope>"),
        TEST("testImplementation", "<scope>test</scope>");

        final String gradle;
        final String maven;

        Scope(String gradle, String maven) {
            this.gradle = gradle;
            this.maven = maven;
        }
    }

    /** A direct dependency; {@code words} is how the build itself writes the scope. */
    record Dependency(Scope scope, String words, String version) {}
}
