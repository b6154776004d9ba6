package io.konduit.queue.test;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** The blocks of Java on a page of the documentation. They may use one another; nothing is added to them. */
public final class JavaSnippets {
    private static final String BEGIN = "```java";
    private static final String END = "```";

    private final String page;
    private final List<Block> blocks;

    private JavaSnippets(String page, List<Block> blocks) {
        this.page = page;
        this.blocks = blocks;
    }

    /** A block, as a file of its own. */
    private static final class Block extends SimpleJavaFileObject {
        final int line;
        final String code;

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

    /** The tests expect to run in the folder of a module. */
    public static JavaSnippets of(Path page) {
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
        return new JavaSnippets(String.valueOf(page.getFileName()), blocks);
    }

    /** How many blocks the page has. */
    public int size() {
        return blocks.size();
    }

    /** The Java of the page, whatever its indentation. */
    public String code() {
        StringBuilder code = new StringBuilder();
        for (Block block : blocks) {
            block.code.lines().forEach(line -> code.append(line.strip()).append('\n'));
            code.append('\n');
        }
        return code.toString();
    }

    /** Compiles the blocks with the class path of this JVM; returns the errors with page and line. */
    public List<String> errors(Path classes) {
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

    private static long lineOf(Diagnostic<? extends @Nullable JavaFileObject> diagnostic) {
        return diagnostic.getSource() instanceof Block block ? block.line + diagnostic.getLineNumber() : 0;
    }
}
