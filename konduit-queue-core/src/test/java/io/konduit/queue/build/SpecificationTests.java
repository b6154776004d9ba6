package io.konduit.queue.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The ids of docs/specification.md, the tags of the tests and the ids that code and pages name agree. */
class SpecificationTests {
    private static final String PAGE = "docs/specification.md";
    private static final Pattern ID_ROW = Pattern.compile("^\\| ([A-Z]\\d{1,2})\\b", Pattern.MULTILINE);
    /** At the beginning of a line, so not in a comment. */
    private static final Pattern TAG = Pattern.compile("^\\s*@Tag\\(\"([A-Z]\\d{1,2})\"\\)", Pattern.MULTILINE);

    private static final Pattern DISABLED = Pattern.compile("^\\s*@Disabled\\b", Pattern.MULTILINE);
    /** In code an id stands in a comment; V1 and the like are versions of the schema there. */
    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\\n]*|--[^\\n]*", Pattern.DOTALL);

    /** Neither the beginning of a range or of a name such as E2.java, nor a decimal. A period may end the sentence. */
    private static final Pattern ID = Pattern.compile("\\b([LHFCEORSTIXPDMWGKQB]\\d{1,2})\\b(?!-|\\.[\\w.])");

    private static final Pattern CODE_SPAN_ID = Pattern.compile("`([A-Z]\\d{1,2})`");
    private static final Path ROOT = BuildFiles.ofRepository().root();

    @Test
    void everyTagIsAnIdOfThePage() {
        Map<String, Set<String>> unknown = new TreeMap<>();
        tags(files("java")).forEach((id, files) -> {
            if (!idsOf(page()).contains(id)) {
                unknown.put(id, files);
            }
        });
        assertThat(unknown).as("tags that %s does not define", PAGE).isEmpty();
    }

    @Test
    void everyIdInACommentOrOnAPageIsAnIdOfThePage() {
        assertThat(undefined(idsOf(page())))
                .as("ids that %s does not define", PAGE)
                .isEmpty();
    }

    @Test
    void noticesAnIdThatThePageNoLongerDefines() {
        Set<String> ids = idsOf(page().replace("| L18 |", "| no id |"));
        assertThat(undefined(ids)).isNotEmpty().allSatisfy(line -> assertThat(line)
                .endsWith(": L18"));
    }

    @Test
    void findsAnIdAtTheEndOfASentenceAndNeitherARangeNorADecimal() {
        List<String> undefined = new ArrayList<>();
        String comment = "// L99, see L98. Not L97-5, L96.5, L95.java. (K94.) \"R93.\"\n/* S92.\n * T91. */ O90.";
        collect(ROOT.resolve("A.java"), ID, comment, idsOf(page()), undefined);
        assertThat(undefined)
                .containsExactly(
                        "A.java: L99",
                        "A.java: L98",
                        "A.java: K94",
                        "A.java: R93",
                        "A.java: S92",
                        "A.java: T91",
                        "A.java: O90");
    }

    @Test
    void tagInACommentIsNoTest() {
        String file =
                "@Tag(\"L1\")\nclass A {\n    // @Tag(\"L2\")\n    /* @Tag(\"L3\")\n     * @Tag(\"L4\") */\n    @Tag(\"L5\")\n";
        assertThat(tagsIn(file)).containsExactly("L1", "L5");
    }

    /** A disabled test verifies nothing, whatever its tags say. What cannot pass is planned, or gone. */
    @Test
    void noTestIsDisabled() {
        assertThat(files("java"))
                .allSatisfy(file -> assertThat(text(file)).as(file.toString()).doesNotContainPattern(DISABLED));
    }

    @Test
    void everyIdHasATestOrIsPlanned() {
        Set<String> without = new TreeSet<>(idsOf(page()));
        without.removeAll(tags(files("java")).keySet());
        without.removeAll(planned(page()));
        assertThat(without)
                .as("ids without a test that are not listed as planned")
                .isEmpty();
    }

    @Test
    void whatIsPlannedIsDefinedAndHasNoTest() {
        Set<String> planned = planned(page());
        assertThat(planned).isNotEmpty();
        assertThat(idsOf(page())).containsAll(planned);
        assertThat(tags(files("java")).keySet()).as("no longer only planned").doesNotContainAnyElementsOf(planned);
    }

    @Test
    void noIdIsDefinedTwice() {
        List<String> defined = new ArrayList<>();
        ID_ROW.matcher(page()).results().forEach(row -> defined.add(row.group(1)));
        assertThat(defined).hasSizeGreaterThan(150).doesNotHaveDuplicates();
    }

    private static List<String> undefined(Set<String> ids) {
        List<String> undefined = new ArrayList<>();
        for (Path file : files("java", "sql")) {
            if (file.endsWith("SpecificationTests.java")) {
                continue;
            }
            COMMENT.matcher(text(file))
                    .results()
                    .forEach(comment -> collect(file, ID, comment.group(), ids, undefined));
        }
        for (Path file : files("md")) {
            collect(file, CODE_SPAN_ID, text(file), ids, undefined);
        }
        return undefined;
    }

    private static void collect(Path file, Pattern pattern, String text, Set<String> ids, List<String> undefined) {
        Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            if (!ids.contains(matcher.group(1))) {
                undefined.add(ROOT.relativize(file) + ": " + matcher.group(1));
            }
        }
    }

    private static Set<String> idsOf(String page) {
        Set<String> ids = new TreeSet<>();
        ID_ROW.matcher(page).results().forEach(row -> ids.add(row.group(1)));
        return ids;
    }

    /** The ids between the two comments of the section of that name. */
    private static Set<String> planned(String page) {
        String list = page.substring(page.indexOf("<!-- planned -->"), page.indexOf("<!-- end of planned -->"));
        Set<String> ids = new TreeSet<>();
        Pattern.compile("\\b[A-Z]\\d{1,2}\\b").matcher(list).results().forEach(id -> ids.add(id.group()));
        return ids;
    }

    private static Map<String, Set<String>> tags(List<Path> files) {
        Map<String, Set<String>> tags = new TreeMap<>();
        for (Path file : files) {
            tagsIn(text(file)).forEach(tag -> tags.computeIfAbsent(tag, id -> new TreeSet<>())
                    .add(ROOT.relativize(file).toString()));
        }
        return tags;
    }

    private static List<String> tagsIn(String text) {
        return TAG.matcher(text).results().map(tag -> tag.group(1)).toList();
    }

    private static String page() {
        return text(ROOT.resolve(PAGE));
    }

    private static List<Path> files(String... endings) {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> Stream.of(endings)
                            .anyMatch(ending -> file.toString().endsWith("." + ending)))
                    .filter(file -> Stream.of("target", "build", ".git", ".gradle")
                            .noneMatch(folder -> ROOT.relativize(file).startsWith(folder)
                                    || ROOT.relativize(file).getNameCount() > 1
                                            && ROOT.relativize(file)
                                                    .getName(1)
                                                    .toString()
                                                    .equals(folder)))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
