package io.konduit.queue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Names a statement of the queue by its file, so that tests recognise it whatever its comments say. */
public final class SqlFile {
    private static final Path FOLDER = Path.of("src/main/resources/io/konduit/queue/store");
    private static final Pattern VARIANTS = Pattern.compile("\\{\\{([a-z-]+-)\\*}}");
    private static final String FRAGMENT = "fragment-";

    private SqlFile() {}

    /** The first line of {@code <name>.sql}, which the statement keeps on its way to the server. */
    public static String opening(String name) {
        return text(name).lines().findFirst().orElseThrow();
    }

    /** All statements; one that has variants by each of them. */
    public static List<String> statements() {
        return files().stream()
                .filter(name -> !name.startsWith(FRAGMENT))
                .flatMap(SqlFile::variants)
                .toList();
    }

    /** What statements share. */
    public static List<String> fragments() {
        return files().stream()
                .filter(name -> name.startsWith(FRAGMENT))
                .map(name -> name.substring(FRAGMENT.length()))
                .toList();
    }

    private static Stream<String> variants(String name) {
        Matcher variants = VARIANTS.matcher(text(name));
        if (!variants.find()) {
            return Stream.of(name);
        }
        String prefix = FRAGMENT + variants.group(1);
        return files().stream()
                .filter(file -> file.startsWith(prefix))
                .map(file -> name + ":" + file.substring(prefix.length()));
    }

    private static List<String> files() {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.map(file -> file.getFileName().toString().replace(".sql", ""))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(String name) {
        try (InputStream in = SqlFile.class.getResourceAsStream("/io/konduit/queue/store/" + name + ".sql")) {
            if (in == null) {
                throw new IllegalArgumentException("There is no statement " + name + ".sql.");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
