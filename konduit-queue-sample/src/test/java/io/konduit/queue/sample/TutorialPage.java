package io.konduit.queue.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The blocks of a page that leads through files and commands, in their order. */
record TutorialPage(List<Block> blocks) {
    private static final Pattern BLOCK =
            Pattern.compile("(?ms)^((?:[^\\n]+\\n)+)?\\n?^```(\\w*)\\n(.*?)^```$(?:\\n\\n```text\\n(.*?)^```$)?");
    private static final Pattern FILE = Pattern.compile("`([\\w./-]+\\.(?:java|kts|sql|xml|yml))`");

    /**
     * A block of code.
     *
     * @param file the last file that the paragraph before it names, null when it is no file
     * @param output what the page shows below a command, null when it shows nothing
     */
    record Block(String language, String text, String file, String output) {}

    static TutorialPage read(Path page) {
        try {
            List<Block> blocks = new ArrayList<>();
            for (MatchResult match :
                    BLOCK.matcher(Files.readString(page)).results().toList()) {
                String language = match.group(2);
                boolean command = language.isEmpty() || language.equals("sh");
                String file = command || match.group(1) == null ? null : lastFile(match.group(1));
                blocks.add(new Block(language, match.group(3), file, match.group(4)));
            }
            return new TutorialPage(blocks);
        } catch (IOException e) {
            throw new IllegalStateException("The tests expect to run in the module's folder.", e);
        }
    }

    String file(String name) {
        return blocks.stream()
                .filter(block -> name.equals(block.file()))
                .findFirst()
                .orElseThrow()
                .text();
    }

    private static String lastFile(String paragraph) {
        Matcher file = FILE.matcher(paragraph);
        String last = null;
        while (file.find()) {
            last = file.group(1);
        }
        return last;
    }
}
