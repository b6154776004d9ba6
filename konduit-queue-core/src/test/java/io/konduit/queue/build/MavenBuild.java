package io.konduit.queue.build;

import static io.konduit.queue.build.DeclaredBuild.UNNAMED;
import static io.konduit.queue.build.PomXml.coordinates;
import static io.konduit.queue.build.PomXml.descendants;
import static io.konduit.queue.build.PomXml.elements;
import static io.konduit.queue.build.PomXml.text;

import io.konduit.queue.build.DeclaredBuild.Dependency;
import io.konduit.queue.build.DeclaredBuild.Scope;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/** Reads what the poms declare. What only a profile brings in is not compared, except dependencies, which it refuses. */
final class MavenBuild {
    private static final Pattern PROPERTY = Pattern.compile("\\$\\{([^}]+)}");
    private static final Set<String> UNDERSTOOD = Set.of("groupId", "artifactId", "version", "scope", "optional");
    /** Checks of the source code that run in Maven alone. */
    private static final Set<String> MAVEN_ONLY_PROCESSORS =
            Set.of("com.google.errorprone:error_prone_core", "com.uber.nullaway:nullaway");

    private final BuildFiles files;
    private final Element root;
    private final SortedMap<String, String> properties = new TreeMap<>();
    private final Set<String> versionProperties = new TreeSet<>();
    private final SortedMap<String, String> boms = new TreeMap<>();
    private final SortedMap<String, String> managed = new TreeMap<>();

    private MavenBuild(BuildFiles files) {
        this.files = files;
        this.root = parse("pom.xml");
    }

    static DeclaredBuild read(BuildFiles files) {
        return new MavenBuild(files).read();
    }

    private DeclaredBuild read() {
        elements(root, "properties", "*")
                .forEach(property -> properties.put(
                        property.getNodeName(), property.getTextContent().strip()));
        properties.put("project.version", text(root, "version"));
        if (elements(root, "dependencies", "dependency").findAny().isPresent()) {
            throw new IllegalStateException(
                    "pom.xml gives every module a dependency, which cannot be compared. Declare it in each module that needs it.");
        }
        elements(root, "dependencyManagement", "dependencies", "dependency").forEach(this::readManaged);

        SortedMap<String, SortedMap<String, Dependency>> modules = new TreeMap<>();
        List<String> names =
                elements(root, "modules", "module").map(Node::getTextContent).toList();
        names.forEach(name -> modules.put(name, readModule(name)));

        SortedMap<String, String> facts = new TreeMap<>();
        facts.put("project name", text(root, "artifactId"));
        facts.put("group", text(root, "groupId"));
        facts.put("project version", text(root, "version"));
        facts.put("Java level", properties.getOrDefault("maven.compiler.release", "nothing"));
        facts.put("version of the Spring Boot plugin", springBootPlugin());

        SortedMap<String, String> versions = new TreeMap<>();
        versionProperties.forEach(
                name -> versions.put(name.substring(0, name.length() - ".version".length()), properties.get(name)));
        return new DeclaredBuild(facts, versions, boms, pinned(modules), modules);
    }

    private void readManaged(Element dependency) {
        String version = resolve("pom.xml", text(dependency, "version"));
        if ("import".equals(text(dependency, "scope"))) {
            boms.put(coordinates(dependency), version);
        } else {
            managed.put(coordinates(dependency), version);
        }
    }

    private SortedMap<String, Dependency> readModule(String name) {
        String file = name + "/pom.xml";
        Element pom = parse(file);
        if (!name.equals(text(pom, "artifactId"))) {
            throw new IllegalStateException(file + " has the artifactId '" + text(pom, "artifactId")
                    + "', but Gradle publishes a module under the name of its directory. Give both one name.");
        }
        SortedMap<String, Dependency> dependencies = new TreeMap<>();
        elements(pom, "dependencies", "dependency").forEach(dependency -> {
            if (dependencies.put(coordinates(dependency), readDependency(file, dependency)) != null) {
                throw new IllegalStateException(file + " declares " + coordinates(dependency) + " twice.");
            }
        });
        descendants(pom, "annotationProcessorPaths")
                .flatMap(paths -> elements(paths, "path"))
                .map(PomXml::coordinates)
                .filter(processor -> !MAVEN_ONLY_PROCESSORS.contains(processor))
                .forEach(processor -> dependencies.put(
                        processor, new Dependency(Scope.PROCESSOR, "annotationProcessorPaths", UNNAMED)));
        return dependencies;
    }

    private Dependency readDependency(String file, Element dependency) {
        elements(dependency, "*").map(Node::getNodeName).forEach(child -> {
            if (!UNDERSTOOD.contains(child)) {
                throw new IllegalStateException(file + ": <" + child + "> of " + coordinates(dependency)
                        + " is not understood. Teach MavenBuild and GradleBuild to compare it.");
            }
        });
        boolean optional = "true".equals(text(dependency, "optional"));
        String scope = text(dependency, "scope").isEmpty() ? "compile" : text(dependency, "scope");
        String words = optional ? scope + ", optional" : scope;
        Scope meaning =
                switch (words) {
                    case "compile" -> Scope.COMPILE;
                    case "provided", "compile, optional" ->
                        text(dependency, "artifactId").endsWith("-processor") ? Scope.PROCESSOR : Scope.OPTIONAL;
                    case "runtime" -> Scope.RUNTIME;
                    case "test" -> Scope.TEST;
                    default ->
                        throw new IllegalStateException(file + ": the scope '" + words + "' of "
                                + coordinates(dependency) + " has no counterpart in Gradle. Use another one.");
                };
        String version = text(dependency, "version").isEmpty()
                ? managed.getOrDefault(coordinates(dependency), UNNAMED)
                : resolve(file, text(dependency, "version"));
        boolean own = text(dependency, "groupId").equals(text(root, "groupId"))
                && version.equals(properties.get("project.version"));
        return new Dependency(meaning, words, own ? UNNAMED : version);
    }

    /** The managed versions that only transitive dependencies can have a use for. */
    private SortedMap<String, String> pinned(Map<String, SortedMap<String, Dependency>> modules) {
        SortedMap<String, String> pinned = new TreeMap<>(managed);
        modules.keySet().forEach(name -> pinned.remove(text(root, "groupId") + ":" + name));
        modules.values().forEach(module -> pinned.keySet().removeAll(module.keySet()));
        return pinned;
    }

    private String springBootPlugin() {
        return elements(root, "build", "pluginManagement", "plugins", "plugin")
                .filter(plugin -> "spring-boot-maven-plugin".equals(text(plugin, "artifactId")))
                .map(plugin -> resolve("pom.xml", text(plugin, "version")))
                .findFirst()
                .orElse("nothing");
    }

    private String resolve(String file, String value) {
        Matcher property = PROPERTY.matcher(value);
        if (!property.matches()) {
            return value;
        }
        String name = property.group(1);
        if (!properties.containsKey(name)) {
            throw new IllegalStateException(
                    file + " uses ${" + name + "}, which the root pom.xml does not define. Define it there.");
        }
        if (!name.startsWith("project.")) {
            if (!name.endsWith(".version")) {
                throw new IllegalStateException(
                        file + " takes a version from ${" + name + "}. Call the property '" + name + ".version'.");
            }
            versionProperties.add(name);
        }
        return properties.get(name);
    }

    private Element parse(String file) {
        Element pom = PomXml.parse(file, files.text(file));
        if (elements(pom, "profiles", "profile", "dependencies", "dependency")
                .findAny()
                .isPresent()) {
            throw new IllegalStateException(
                    file
                            + " declares a dependency in a profile, for which Gradle has no word. Declare it outside the profile.");
        }
        refuseOtherJavaLevels(file, pom);
        return pom;
    }

    private static void refuseOtherJavaLevels(String file, Element pom) {
        Stream<Element> inPlugin = descendants(pom, "plugin")
                .filter(plugin -> "maven-compiler-plugin".equals(text(plugin, "artifactId")))
                .flatMap(plugin -> Stream.of("release", "source", "target").flatMap(name -> descendants(plugin, name)));
        Stream<Element> asProperty =
                Stream.of("maven.compiler.source", "maven.compiler.target").flatMap(name -> descendants(pom, name));
        Stream<Element> again = descendants(pom, "maven.compiler.release").skip(file.equals("pom.xml") ? 1 : 0);
        Stream.of(inPlugin, asProperty, again)
                .flatMap(elements -> elements)
                .findFirst()
                .ifPresent(level -> {
                    throw new IllegalStateException(file + " sets <" + level.getNodeName()
                            + ">. Set the Java level only once, as <maven.compiler.release> in the root pom.xml.");
                });
    }
}
