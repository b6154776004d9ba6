package io.konduit.queue.build;

import static io.konduit.queue.build.DeclaredBuild.UNNAMED;

import io.konduit.queue.build.DeclaredBuild.Dependency;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/** One thing that the two builds declare differently, and what to do about it. */
record Drift(String thing, String maven, String gradle, String action) {
    private static final String NOTHING = "nothing";

    @Override
    public String toString() {
        return thing + ": Maven says " + maven + ", Gradle says " + gradle + ". " + action;
    }

    /** Everything in which the two builds differ; empty when they agree. */
    static List<Drift> between(DeclaredBuild maven, DeclaredBuild gradle) {
        List<Drift> drifts = new ArrayList<>();
        compare(
                maven.facts(),
                gradle.facts(),
                (name, inMaven, inGradle) -> drifts.add(new Drift(
                        name,
                        inMaven,
                        inGradle,
                        "Make pom.xml say the same as settings.gradle.kts, build.gradle.kts and " + VersionCatalog.FILE
                                + ".")));
        compare(
                maven.versions(),
                gradle.versions(),
                (name, inMaven, inGradle) -> drifts.add(new Drift(
                        "version '" + name + "'",
                        inMaven,
                        inGradle,
                        "Make <" + name + ".version> in pom.xml and '" + name + "' under [versions] in "
                                + VersionCatalog.FILE + " the same, or remove both.")));
        compare(
                maven.boms(),
                gradle.boms(),
                (name, inMaven, inGradle) -> drifts.add(new Drift(
                        "BOM " + name,
                        inMaven,
                        inGradle,
                        "Import it with one version in <dependencyManagement> of pom.xml and under 'management' in "
                                + "build.gradle.kts, or in neither.")));
        compare(
                maven.pinned(),
                gradle.pinned(),
                (name, inMaven, inGradle) -> drifts.add(
                        new Drift(
                                "version of " + name + ", which no module declares",
                                inMaven,
                                inGradle,
                                "Remove it from <dependencyManagement> of pom.xml, or declare the dependency in both builds.")));
        for (String module : union(maven.modules(), gradle.modules())) {
            boolean inMaven = maven.modules().containsKey(module);
            boolean inGradle = gradle.modules().containsKey(module);
            if (inMaven && inGradle) {
                compareModule(
                        module, maven.modules().get(module), gradle.modules().get(module), drifts);
            } else {
                drifts.add(new Drift(
                        "module " + module,
                        inMaven ? "it is there" : NOTHING,
                        inGradle ? "it is there" : NOTHING,
                        "Name it in <modules> of pom.xml and in include(...) of settings.gradle.kts, or in neither."));
            }
        }
        return drifts;
    }

    private static void compareModule(
            String module,
            SortedMap<String, Dependency> maven,
            SortedMap<String, Dependency> gradle,
            List<Drift> drifts) {
        for (String name : union(maven, gradle)) {
            Dependency inMaven = maven.get(name);
            Dependency inGradle = gradle.get(name);
            String thing = module + " -> " + name;
            if (inGradle == null) {
                drifts.add(new Drift(
                        thing,
                        "'" + inMaven.words() + "'",
                        NOTHING,
                        "Add it as " + inMaven.scope().gradle + "(...) to " + module
                                + "/build.gradle.kts and name it in " + VersionCatalog.FILE + ", or remove it from "
                                + module + "/pom.xml."));
            } else if (inMaven == null) {
                drifts.add(new Drift(
                        thing,
                        NOTHING,
                        "'" + inGradle.words() + "'",
                        "Add it with " + inGradle.scope().maven + " to " + module + "/pom.xml, or remove it from "
                                + module + "/build.gradle.kts."));
            } else if (inMaven.scope() != inGradle.scope()) {
                drifts.add(new Drift(
                        thing,
                        "'" + inMaven.words() + "'",
                        "'" + inGradle.words() + "'",
                        "Use " + inMaven.scope().gradle + "(...) in " + module + "/build.gradle.kts or "
                                + inGradle.scope().maven + " in " + module + "/pom.xml."));
            } else if (!inMaven.version().equals(inGradle.version())) {
                drifts.add(new Drift(
                        "version of " + thing,
                        inMaven.version(),
                        inGradle.version(),
                        "Give it the same version in pom.xml and " + VersionCatalog.FILE + ", or in neither (" + UNNAMED
                                + ")."));
            }
        }
    }

    private interface Difference {
        void report(String name, String inMaven, String inGradle);
    }

    private static void compare(
            SortedMap<String, String> maven, SortedMap<String, String> gradle, Difference difference) {
        for (String name : union(maven, gradle)) {
            String inMaven = maven.getOrDefault(name, NOTHING);
            String inGradle = gradle.getOrDefault(name, NOTHING);
            if (!inMaven.equals(inGradle)) {
                difference.report(name, inMaven, inGradle);
            }
        }
    }

    private static <T> SortedSet<String> union(SortedMap<String, T> maven, SortedMap<String, T> gradle) {
        SortedSet<String> names = new TreeSet<>(maven.keySet());
        names.addAll(gradle.keySet());
        return names;
    }
}
