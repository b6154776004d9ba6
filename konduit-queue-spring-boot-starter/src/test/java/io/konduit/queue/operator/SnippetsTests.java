package io.konduit.queue.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.test.JavaSnippets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The Java on the pages compiles as it is there. The blocks of a page may use one another; nothing is added to them. */
class SnippetsTests {
    private static final Path ROOT = Path.of("..");

    @TempDir
    Path classes;

    /**
     * All but the specification, whose Java is a list of names, the README, which shows excerpts, and the page on testing
     * handlers, which needs konduit-queue-test and is compiled there.
     */
    static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(Stream.of(ROOT.resolve("CONTRIBUTING.md")), docs)
                    .filter(page -> page.toString().endsWith(".md") && !page.endsWith("specification.md"))
                    .filter(page -> !page.endsWith("testing-your-handlers.md"))
                    .filter(page -> JavaSnippets.of(page).size() > 0)
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyBlockCompiles(Path page) throws IOException {
        assertThat(JavaSnippets.of(page).errors(classes)).isEmpty();
    }

    /** So what the README shows compiles too: only its classes and imports are missing. */
    @Test
    void quickStartOfTheReadmeIsAnExcerptOfThePageOnHandlers() {
        String readme = JavaSnippets.of(ROOT.resolve("README.md")).code();
        String handlers = JavaSnippets.of(ROOT.resolve("docs/handlers.md")).code();
        assertThat(missing(readme, handlers)).isEmpty();
        assertThat(missing(readme.replace("queue.enqueue(", "queue.add("), handlers))
                .singleElement()
                .asString()
                .contains("queue.add(");
    }

    @Test
    void errorIsToldWithItsPageAndLine() throws IOException {
        Path page = classes.resolve("page.md");
        Files.writeString(page, "text\n\n```java\nclass A {\n    TaskQueue queue;\n}\n```\n");
        assertThat(JavaSnippets.of(page).errors(classes))
                .singleElement()
                .asString()
                .startsWith("page.md:5: cannot find symbol");
    }

    @ParameterizedTest
    @CsvSource({
        "README.md, 1",
        "docs/coming-from.md, 1",
        "docs/handlers.md, 3",
        "docs/operating.md, 3",
        "docs/recipes.md, 6",
        "docs/tutorial.md, 4"
    })
    void thePagesForNewcomersHaveBlocks(String page, int blocks) {
        assertThat(JavaSnippets.of(ROOT.resolve(page)).size()).isGreaterThanOrEqualTo(blocks);
    }

    /** The paragraphs of an excerpt that the original does not have. */
    private static List<String> missing(String excerpt, String original) {
        return Stream.of(excerpt.split("\n\n"))
                .filter(paragraph -> !original.contains(paragraph.strip()))
                .toList();
    }
}
