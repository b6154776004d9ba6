package io.konduit.queue.operator;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The pages under {@code docs/}, so that tests can hold them to what they say. */
final class Docs {
    private static final Path ROOT = Path.of("..", "docs");

    private Docs() {}

    static String read(String page) {
        try {
            return Files.readString(ROOT.resolve(page));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The part of a page under a heading, up to the next one of the same level. */
    static String section(String page, String heading) {
        String text = read(page);
        int from = text.indexOf("\n" + heading + "\n");
        if (from < 0) {
            throw new IllegalStateException(page + " has no section '" + heading + "'");
        }
        String level = heading.substring(0, heading.indexOf(' ') + 1);
        int to = text.indexOf("\n" + level, from + heading.length());
        return to < 0 ? text.substring(from) : text.substring(from, to);
    }

    /** The SQL of a text, one string for each block. */
    static List<String> sql(String text) {
        return blocks("sql", text);
    }

    /** The blocks of a language, one string each. */
    static List<String> blocks(String language, String text) {
        List<String> blocks = new ArrayList<>();
        Matcher matcher = Pattern.compile("```" + language + "\\n(.*?)```", Pattern.DOTALL)
                .matcher(text);
        while (matcher.find()) {
            blocks.add(matcher.group(1));
        }
        return blocks;
    }

    /** The cells of a table's rows, without its head. */
    static List<List<String>> rows(String text) {
        List<List<String>> rows = new ArrayList<>();
        for (String line : text.split("\n")) {
            if (line.startsWith("| `")) {
                List<String> cells = new ArrayList<>();
                for (String cell : line.substring(1, line.lastIndexOf('|')).split("\\|")) {
                    cells.add(cell.trim());
                }
                rows.add(cells);
            }
        }
        return rows;
    }
}
