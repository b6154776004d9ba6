package io.konduit.queue.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The Java on the pages compiles as it is there. The blocks of a page may use one another; nothing is added to them. */
class SnippetsTests {
    private static final Path ROOT = Path.of("..");
    private static final String BEGIN = "```java";
    private static final String END = "```";

    @TempDir
    Path classes;

    /** A block, as a file of its own. */
    private static final class Block extends SimpleJavaFileObject {
        final int line;
        private final String code;

        Block(int line, String code) {
            super(URI.create("string:///Block" + line + ".java"), Kind.SOURCE);
            this.line = line;
            this.code = code;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return code;
        }
    }

    /** All but the specification, whose Java is a list of names, and the README, which shows excerpts. */
    static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(Stream.of(ROOT.resolve("CONTRIBUTING.md")), docs)
                    .filter(page -> page.toString().endsWith(".md") && !page.endsWith("specification.md"))
                    .filter(page -> !blocks(page).isEmpty())
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyBlockCompiles(Path page) throws IOException {
        assertThat(errors(page.getFileName().toString(), blocks(page))).isEmpty();
    }

    /** So what the README shows compiles too: only its classes and imports are missing. */
    @Test
    void quickStartOfTheReadmeIsAnExcerptOfThePageOnHandlers() {
        String readme = code(ROOT.resolve("README.md"));
        String handlers = code(ROOT.resolve("docs/handlers.md"));
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
        assertThat(errors("page.md", blocks(page)))
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
        "docs/testing-your-handlers.md, 1",
        "docs/tutorial.md, 4"
    })
    void thePagesForNewcomersHaveBlocks(String page, int blocks) {
        assertThat(blocks(ROOT.resolve(page))).hasSizeGreaterThanOrEqualTo(blocks);
    }

    /** The paragraphs of an excerpt that the original does not have. */
    private static List<String> missing(String excerpt, String original) {
        return Stream.of(excerpt.split("\n\n"))
                .filter(paragraph -> !original.contains(paragraph.strip()))
                .toList();
    }

    /** The Java of a page, whatever its indentation. */
    private static String code(Path page) {
        StringBuilder code = new StringBuilder();
        for (Block block : blocks(page)) {
            block.code.lines().forEach(line -> code.append(line.strip()).append('\n'));
            code.append('\n');
        }
        return code.toString();
    }

    private List<String> errors(String page, List<Block> blocks) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        List<String> options =
                List.of("-proc:none", "-cp", System.getProperty("java.class.path"), "-d", classes.toString());
        compiler.getTask(null, null, said, options, null, blocks).call();
        return said.getDiagnostics().stream()
                .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
                .map(each -> page + ":" + lineOf(each) + ": " + each.getMessage(Locale.ENGLISH))
                .toList();
    }

    private static long lineOf(Diagnostic<? extends JavaFileObject> diagnostic) {
        return diagnostic.getSource() instanceof Block block ? block.line + diagnostic.getLineNumber() : 0;
    }

    private static List<Block> blocks(Path page) {
        List<Block> blocks = new ArrayList<>();
        try {
            List<String> lines = Files.readAllLines(page);
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).strip().equals(BEGIN)) {
                    int end = i + 1;
                    while (!lines.get(end).strip().equals(END)) {
                        end++;
                    }
                    blocks.add(new Block(i + 1, String.join("\n", lines.subList(i + 1, end)) + "\n"));
                    i = end;
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException("The tests expect to run in the module's folder.", e);
        }
        return blocks;
    }
}
