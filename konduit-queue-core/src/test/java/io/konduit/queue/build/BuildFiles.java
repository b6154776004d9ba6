package io.konduit.queue.build;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** The files of both builds: those of the repository, some of them replaced by a changed copy. */
final class BuildFiles {
    private final Path root;
    private final Map<String, String> replaced;

    private BuildFiles(Path root, Map<String, String> replaced) {
        this.root = root;
        this.replaced = replaced;
    }

    /** The files as they stand in the repository, whose root is the first directory upwards that has Gradle settings. */
    static BuildFiles ofRepository() {
        Path start = Path.of("").toAbsolutePath();
        for (Path directory = start; directory != null; directory = directory.getParent()) {
            if (Files.exists(directory.resolve("settings.gradle.kts"))) {
                return new BuildFiles(directory, Map.of());
            }
        }
        throw new IllegalStateException("No settings.gradle.kts in '" + start
                + "' or in a directory above it. Run the tests inside a checkout of the repository.");
    }

    Path root() {
        return root;
    }

    /** A copy in which one file is changed; fails when the change changes nothing. */
    BuildFiles with(String path, UnaryOperator<String> change) {
        String before = text(path);
        String after = change.apply(before);
        if (after.equals(before)) {
            throw new IllegalStateException(
                    "The change made to " + path + " found nothing to change. Adapt it to what the file says now.");
        }
        Map<String, String> copy = new TreeMap<>(replaced);
        copy.put(path, after);
        return new BuildFiles(root, copy);
    }

    /** A copy with one more file, or with one replaced. */
    BuildFiles withFile(String path, String text) {
        Map<String, String> copy = new TreeMap<>(replaced);
        copy.put(path, text);
        return new BuildFiles(root, copy);
    }

    String text(String path) {
        String text = replaced.get(path);
        if (text != null) {
            return text;
        }
        try {
            return Files.readString(root.resolve(path));
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "'" + path + "' cannot be read. Every module needs a pom.xml and a build.gradle.kts.", e);
        }
    }
}
