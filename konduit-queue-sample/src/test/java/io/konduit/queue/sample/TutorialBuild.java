package io.konduit.queue.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Plays the build of a small project: a jar that starts with {@code java -jar} and finds its libraries where the tests do. */
final class TutorialBuild {
    private final Path sources;
    private final Path resources;
    private final Path classes;

    private TutorialBuild(Path project) throws IOException {
        this.sources = project.resolve("src/main/java");
        this.resources = project.resolve("src/main/resources");
        this.classes = Files.createDirectories(project.resolve("target/classes"));
    }

    static TutorialBuild of(Path project) throws IOException {
        return new TutorialBuild(project);
    }

    void writeTo(Path jar) throws IOException {
        compile();
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "shop.Shop");
        manifest.getMainAttributes()
                .put(
                        Attributes.Name.CLASS_PATH,
                        libraries().map(each -> each.toUri().toString()).collect(Collectors.joining(" ")));
        Files.createDirectories(jar.getParent());
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file, manifest)) {
            // Spring finds no class in a package whose folder has no entry
            out.putNextEntry(new JarEntry("shop/"));
            for (Path folder : List.of(classes, resources)) {
                for (Path each : filesIn(folder)) {
                    out.putNextEntry(
                            new JarEntry(folder.relativize(each).toString().replace(File.separatorChar, '/')));
                    Files.copy(each, out);
                }
            }
        }
    }

    private void compile() throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        String libraries = libraries().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        try (StandardJavaFileManager files = compiler.getStandardFileManager(said, null, null)) {
            compiler.getTask(
                            null,
                            files,
                            said,
                            List.of("-proc:none", "-parameters", "-cp", libraries, "-d", classes.toString()),
                            null,
                            files.getJavaFileObjectsFromPaths(filesIn(sources)))
                    .call();
        }
        assertThat(said.getDiagnostics())
                .filteredOn(each -> each.getKind() == Diagnostic.Kind.ERROR)
                .isEmpty();
    }

    /** The class path of the tests without the sample itself, which has settings of its own. */
    private static Stream<Path> libraries() {
        Path sample = Path.of("").toAbsolutePath();
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath())
                .filter(entry -> !entry.startsWith(sample));
    }

    private static List<Path> filesIn(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }
}
