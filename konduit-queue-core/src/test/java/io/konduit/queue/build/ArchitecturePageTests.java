package io.konduit.queue.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code docs/architecture.md} shows the code as it is: each package of the core, in an order in which imports only point
 * down, and two walks whose types exist and whose figures are right.
 */
class ArchitecturePageTests {
    private static final Path SOURCES = Path.of("src/main/java/io/konduit/queue");
    private static final String ROOT = "(root)";
    private static final Pattern NAME = Pattern.compile("`@?([\\w.-]+)`");
    private static final Pattern IMPORT =
            Pattern.compile("(?m)^import (?:static )?io\\.konduit\\.queue\\.(?:([a-z]\\w*)\\.)?[A-Z]");

    private final String page = read(Path.of("..", "docs", "architecture.md"));

    /** A row of a walk. */
    private record Step(String room, boolean turnsBack, List<String> types) {}

    @Test
    void everyPackageIsOnThePage() throws IOException {
        Set<String> there = new TreeSet<>(Set.of(ROOT));
        try (Stream<Path> files = Files.list(SOURCES)) {
            files.filter(Files::isDirectory)
                    .map(folder -> folder.getFileName().toString())
                    .forEach(there::add);
        }
        assertThat(new TreeSet<>(rooms())).isEqualTo(there);
    }

    @Test
    void importsPointDownThePage() throws IOException {
        List<String> rooms = rooms();
        List<String> up = new ArrayList<>();
        for (String room : rooms) {
            for (Path file : filesOf(room)) {
                for (MatchResult imported : IMPORT.matcher(read(file)).results().toList()) {
                    String used = imported.group(1) == null ? ROOT : imported.group(1);
                    if (rooms.indexOf(used) < rooms.indexOf(room)) {
                        up.add(file.getFileName() + " of " + room + " uses " + used);
                    }
                }
            }
        }
        assertThat(up).isEmpty();
    }

    @Test
    void theTypesToStartWithExist() {
        for (List<String> row : rows("## Packages of the core")) {
            assertThat(names(row.get(2))).isNotEmpty().allSatisfy(type -> assertThat(
                            file(names(row.get(0)).stream().findFirst().orElse(ROOT), type))
                    .exists());
        }
    }

    @ParameterizedTest
    @CsvSource({"'## A task, from `enqueue` to history', a task", "'## An orphan, from expiry to the inbox', an orphan"
    })
    void theWalkIsWhatItsFiguresSay(String heading, String who) {
        List<Step> steps = steps(heading);
        Set<String> left = new HashSet<>();
        Set<String> types = new LinkedHashSet<>();
        int turns = 0;
        for (Step step : steps) {
            assertThat(step.turnsBack()).as("step into " + step.room()).isEqualTo(!left.add(step.room()));
            turns += step.turnsBack() ? 1 : 0;
            step.types()
                    .forEach(
                            type -> assertThat(file(step.room(), type)).as(type).exists());
            types.addAll(step.types());
        }
        assertThat(after(who + ": types")).isEqualTo(types.size());
        assertThat(after(who + ": packages")).isEqualTo(left.size());
        assertThat(after(who + ": turns back")).isEqualTo(turns);
    }

    @ParameterizedTest
    @CsvSource({"types in the root package, (root)", "types in `store`, store"})
    void theSizesAreAboutThoseOfTheCode(String figure, String room) throws IOException {
        assertThat(after(figure)).isCloseTo(filesOf(room).size(), within(5));
    }

    @Test
    void theStatementsOnTheWayExist() {
        List<String> statements = Pattern.compile("`([a-z-]+\\.sql)`")
                .matcher(page)
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(statements).hasSizeGreaterThan(5).allSatisfy(name -> assertThat(
                        Path.of("src/main/resources/io/konduit/queue/store", name))
                .exists());
    }

    private List<String> rooms() {
        return rows("## Packages of the core").stream()
                .map(row -> names(row.get(0)).stream().findFirst().orElse(ROOT))
                .toList();
    }

    private List<Step> steps(String heading) {
        return rows(heading).stream()
                .map(row -> new Step(
                        names(row.get(1)).stream().findFirst().orElse(ROOT),
                        row.get(1).contains("↩"),
                        names(row.get(2))))
                .toList();
    }

    private int after(String figure) {
        return rows("## Before and after").stream()
                .filter(row -> row.get(0).equals(figure))
                .map(row -> Integer.parseInt(row.get(2)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("The page has no figure '" + figure + "'"));
    }

    /** The cells of the table under a heading. */
    private List<List<String>> rows(String heading) {
        int from = page.indexOf("\n" + heading + "\n");
        assertThat(from).as(heading).isNotNegative();
        List<List<String>> rows = new ArrayList<>();
        for (String line : page.substring(from, page.indexOf("\n## ", from + 1)).split("\n")) {
            if (line.startsWith("| ")) {
                rows.add(Stream.of(line.substring(1, line.lastIndexOf('|')).split("\\|"))
                        .map(String::strip)
                        .toList());
            }
        }
        return rows.subList(1, rows.size());
    }

    private static List<String> names(String cell) {
        return NAME.matcher(cell).results().map(match -> match.group(1)).toList();
    }

    private static Path file(String room, String type) {
        return (room.equals(ROOT) ? SOURCES : SOURCES.resolve(room)).resolve(type + ".java");
    }

    private static List<Path> filesOf(String room) throws IOException {
        try (Stream<Path> files = Files.list(room.equals(ROOT) ? SOURCES : SOURCES.resolve(room))) {
            return files.filter(file -> file.toString().endsWith(".java") && !file.endsWith("package-info.java"))
                    .toList();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new IllegalStateException("The tests expect to run in the module's folder.", e);
        }
    }
}
