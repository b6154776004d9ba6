package io.konduit.queue.build;

import static io.konduit.queue.build.DeclaredBuild.UNNAMED;

import io.konduit.queue.build.DeclaredBuild.Dependency;
import io.konduit.queue.build.DeclaredBuild.Scope;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads what the Gradle scripts declare. It is no Kotlin compiler: it knows the few forms in which this build writes
 * down a dependency, one a line, and takes any other form for an error, never for nothing.
 */
final class GradleBuild {
    /** Starts JUnit; Surefire brings its own. */
    private static final String GRADLE_ONLY = "org.junit.platform:junit-platform-launcher";

    private static final Pattern COMMENT =
            Pattern.compile("(\"(?:\\\\.|[^\"\\\\])*\")|//[^\\n]*|/\\*.*?\\*/", Pattern.DOTALL);
    private static final Pattern INCLUDE = Pattern.compile("\\binclude\\w*\\b(?:\\(([^()]*)\\))?");
    private static final Pattern MODULE_NAME = Pattern.compile("\":?([\\w-]+)\"");
    private static final Pattern DEPENDENCIES = Pattern.compile("(?<!libs[\\w.]{0,60}\\.)\\bdependencies\\b( *\\{)?");
    private static final Pattern BOM =
            Pattern.compile("add\\(\"management\", enforcedPlatform\\(rootProject\\.libs\\.([\\w.]+)\\)\\)");
    private static final Pattern DEPENDENCY =
            Pattern.compile("(\\w+)\\((?:libs\\.([\\w.]+)|project\\(\":([\\w-]+)\"\\))\\)");
    private static final Pattern JAVA_LEVEL = Pattern.compile("options\\.release *= *(\\d+)");
    private static final Pattern OTHER_JAVA_LEVEL =
            Pattern.compile("\\b(options\\.release|toolchain|sourceCompatibility|targetCompatibility)\\b");

    private final BuildFiles files;
    private final VersionCatalog catalog;
    private final String root;
    private final String group;

    private GradleBuild(BuildFiles files) {
        this.files = files;
        this.catalog = VersionCatalog.read(files);
        this.root = withoutComments(files.text("build.gradle.kts"));
        this.group = theOnly("build.gradle.kts", root, "group = \"([^\"]+)\"");
    }

    static DeclaredBuild read(BuildFiles files) {
        return new GradleBuild(files).read();
    }

    private DeclaredBuild read() {
        String settings = withoutComments(files.text("settings.gradle.kts"));
        SortedMap<String, String> facts = new TreeMap<>();
        facts.put("project name", theOnly("settings.gradle.kts", settings, "rootProject\\.name = \"([^\"]+)\""));
        facts.put("group", group);
        facts.put("project version", theOnly("build.gradle.kts", root, "version = \"([^\"]+)\""));
        facts.put("Java level", theOnly("build.gradle.kts", root, JAVA_LEVEL.pattern()));
        VersionCatalog.Entry plugin = catalog.plugins.get("org.springframework.boot");
        facts.put("version of the Spring Boot plugin", plugin == null ? "nothing" : plugin.version());
        refuseOtherJavaLevels("build.gradle.kts", JAVA_LEVEL.matcher(root).replaceAll(""));

        SortedMap<String, SortedMap<String, Dependency>> modules = new TreeMap<>();
        modulesOf(settings).forEach(name -> modules.put(name, readModule(name)));
        return new DeclaredBuild(facts, catalog.versions, readBoms(), new TreeMap<>(), modules);
    }

    private static List<String> modulesOf(String settings) {
        List<String> modules = new ArrayList<>();
        Matcher include = INCLUDE.matcher(settings);
        while (include.find()) {
            String names = include.group().startsWith("include(") ? include.group(1) : null;
            if (names == null
                    || !names.replaceAll(MODULE_NAME.pattern(), "")
                            .replace(",", "")
                            .isBlank()) {
                throw new IllegalStateException("settings.gradle.kts: '" + include.group()
                        + "' is not understood. Write include(\"module\", ...) with nothing but names.");
            }
            MODULE_NAME.matcher(names).results().forEach(name -> modules.add(name.group(1)));
        }
        return modules;
    }

    private SortedMap<String, String> readBoms() {
        SortedMap<String, String> boms = new TreeMap<>();
        for (String line : dependencyLines("build.gradle.kts", root)) {
            Matcher bom = BOM.matcher(line);
            if (!bom.matches()) {
                throw new IllegalStateException(
                        "build.gradle.kts: '" + line + "' is not understood. The root script may "
                                + "only add BOMs, as add(\"management\", enforcedPlatform(rootProject.libs.name)).");
            }
            VersionCatalog.Entry library = library("build.gradle.kts", bom.group(1));
            boms.put(library.id(), library.version());
        }
        return boms;
    }

    private SortedMap<String, Dependency> readModule(String name) {
        String file = name + "/build.gradle.kts";
        String script = withoutComments(files.text(file));
        refuseOtherJavaLevels(file, script);
        SortedMap<String, Dependency> dependencies = new TreeMap<>();
        for (String line : dependencyLines(file, script)) {
            Matcher dependency = DEPENDENCY.matcher(line);
            if (!dependency.matches()) {
                throw new IllegalStateException(
                        file + ": '" + line + "' is not understood. Write one dependency a line, "
                                + "as implementation(libs.name) or implementation(project(\":name\")).");
            }
            String words = dependency.group(1);
            VersionCatalog.Entry library = dependency.group(3) == null
                    ? library(file, dependency.group(2))
                    : new VersionCatalog.Entry(group + ":" + dependency.group(3), UNNAMED);
            if (!library.id().equals(GRADLE_ONLY)) {
                Dependency declared = new Dependency(scopeOf(file, line, words), words, library.version());
                dependencies.merge(library.id(), declared, (first, second) -> both(file, library.id(), first, second));
            }
        }
        return dependencies;
    }

    private static Scope scopeOf(String file, String line, String configuration) {
        return switch (configuration) {
            case "api", "implementation" -> Scope.COMPILE;
            case "compileOnly", "compileOnlyApi" -> Scope.OPTIONAL;
            case "annotationProcessor" -> Scope.PROCESSOR;
            case "runtimeOnly" -> Scope.RUNTIME;
            case "testImplementation", "testRuntimeOnly", "testCompileOnly" -> Scope.TEST;
            default ->
                throw new IllegalStateException(
                        file + ": '" + line + "' uses a configuration that has no counterpart in "
                                + "Maven. Use api, implementation, compileOnly, annotationProcessor, runtimeOnly, "
                                + "testImplementation or testRuntimeOnly.");
        };
    }

    /** In Maven the tests see what is optional or only there at run time; in Gradle they must ask for it. */
    private static Dependency both(String file, String library, Dependency first, Dependency second) {
        Set<Scope> scopes = EnumSet.of(first.scope(), second.scope());
        if (scopes.contains(Scope.TEST) && (scopes.contains(Scope.OPTIONAL) || scopes.contains(Scope.RUNTIME))) {
            return first.scope() == Scope.TEST ? second : first;
        }
        throw new IllegalStateException(file + " declares " + library + " as '" + first.words() + "' and as '"
                + second.words() + "'. Keep the wider of the two.");
    }

    private VersionCatalog.Entry library(String file, String accessor) {
        VersionCatalog.Entry library = catalog.libraries.get(accessor);
        if (library == null) {
            throw new IllegalStateException(file + " uses libs." + accessor + ", which is not in " + VersionCatalog.FILE
                    + ". Add '" + accessor.replace('.', '-') + "' to its [libraries].");
        }
        return library;
    }

    /** The lines of every {@code dependencies} block; the word anywhere else is an error. */
    private static List<String> dependencyLines(String file, String script) {
        List<String> lines = new ArrayList<>();
        Matcher block = DEPENDENCIES.matcher(script);
        while (block.find()) {
            int end = script.indexOf('}', block.end());
            if (block.group(1) == null || end < 0 || script.startsWith(".", Math.max(0, block.start() - 1))) {
                throw new IllegalStateException(file
                        + ": 'dependencies' is only understood as the start of a block. Write dependencies { ... }.");
            }
            script.substring(block.end(), end)
                    .lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .forEach(lines::add);
        }
        return lines;
    }

    private static void refuseOtherJavaLevels(String file, String script) {
        Matcher other = OTHER_JAVA_LEVEL.matcher(script);
        if (other.find()) {
            throw new IllegalStateException(file + " sets '" + other.group()
                    + "'. Set the Java level only once, as options.release = N in the root build.gradle.kts.");
        }
    }

    private static String theOnly(String file, String script, String regex) {
        List<String> found = Pattern.compile("(?m)^\\s*" + regex + "$")
                .matcher(script)
                .results()
                .map(match -> match.group(1))
                .toList();
        if (found.size() != 1) {
            throw new IllegalStateException(
                    file + " must have exactly one line of the form '" + regex + "' but has " + found.size() + ".");
        }
        return found.get(0);
    }

    private static String withoutComments(String script) {
        return COMMENT.matcher(script)
                .replaceAll(match -> match.group(1) == null ? "" : Matcher.quoteReplacement(match.group(1)))
                .replaceAll("(?m)[ \\t]+$", "");
    }
}
