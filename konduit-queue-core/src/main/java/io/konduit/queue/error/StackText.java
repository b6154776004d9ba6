package io.konduit.queue.error;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * An error as text: the root cause first, then its wrappers. The application's frames are shown in full, those of
 * frameworks are counted. When the text would be too long, the wrappers lose their frames first, then the middle of the
 * root cause's stack.
 */
final class StackText {
    static final int MAX_LENGTH = 16_000;

    private static final int MAX_WRAPPERS = 15;
    private static final int MAX_SUPPRESSED = 5;
    private static final int MAX_LINE = 300;
    private static final int LONGEST_CYCLE = 50;
    private static final int FEWEST_REPETITIONS = 3;
    private static final int ROOT_SHARE = MAX_LENGTH * 3 / 4;
    private static final int RESERVE = 100;
    private static final String FRAME = "\n    at ";
    private static final String LEFT_OUT = "\n    ... ";

    private final FrameOrigin origin;
    /** What follows the class of an error in its line. */
    private final Function<Throwable, String> description;

    StackText(FrameOrigin origin, Function<Throwable, String> description) {
        this.origin = origin;
        this.description = description;
    }

    String of(Throwable error) {
        List<Throwable> causes = Causes.of(error);
        int last = causes.size() - 1;
        Throwable root = causes.get(last);
        StringBuilder text = new StringBuilder(title(root));
        append(text, lines(Causes.frames(root)), ROOT_SHARE);
        appendSuppressed(text, root);
        for (int i = last - 1; i >= 0; i--) {
            if (last - i > MAX_WRAPPERS) {
                appendLine(text, "\n  wrapped " + (i + 1) + " times more");
                break;
            }
            appendError(text, "\n  wrapped by ", causes.get(i), Causes.frames(causes.get(i + 1)));
            appendSuppressed(text, causes.get(i));
        }
        return text.toString();
    }

    private void appendSuppressed(StringBuilder text, Throwable error) {
        Throwable[] suppressed = error.getSuppressed();
        for (int i = 0; i < Math.min(suppressed.length, MAX_SUPPRESSED); i++) {
            appendError(text, "\n  suppressed ", Causes.root(suppressed[i]), Causes.frames(error));
        }
    }

    /** Its own frames only: frames in common with an error shown earlier are above. */
    private void appendError(StringBuilder text, String relation, Throwable error, StackTraceElement[] shown) {
        appendLine(text, relation + title(error));
        StackTraceElement[] frames = Causes.frames(error);
        int common = commonFrames(frames, shown);
        List<String> lines = new ArrayList<>(lines(Arrays.copyOf(frames, frames.length - common)));
        if (common > 0) {
            lines.add(LEFT_OUT + frames(common) + " as above");
        }
        append(text, lines, MAX_LENGTH - RESERVE);
    }

    private static void append(StringBuilder text, List<String> lines, int limit) {
        int room = limit - text.length();
        int length = lines.stream().mapToInt(String::length).sum();
        if (lines.isEmpty() || length <= room) {
            lines.forEach(text::append);
            return;
        }
        // the end shows how the code got there, the start where it failed
        int endRoom = room / 4;
        int end = lines.size();
        for (int used = 0; end > 0 && used + lines.get(end - 1).length() <= endRoom; end--) {
            used += lines.get(end - 1).length();
        }
        int start = 0;
        for (int used = 0; start < end && used + lines.get(start).length() <= room - endRoom - RESERVE; start++) {
            used += lines.get(start).length();
        }
        lines.subList(0, start).forEach(text::append);
        appendLine(text, LEFT_OUT + (end - start) + " lines left out");
        lines.subList(end, lines.size()).forEach(text::append);
    }

    private static void appendLine(StringBuilder text, String line) {
        if (text.length() + line.length() <= MAX_LENGTH) {
            text.append(line);
        }
    }

    /** Frames as lines. The first one shows where the error was created, so it is shown whatever its origin. */
    private List<String> lines(StackTraceElement[] frames) {
        List<String> lines = new ArrayList<>();
        int from = 0;
        while (from < frames.length) {
            int cycle = cycleAt(frames, from);
            if (cycle == 0) {
                from = appendFrames(lines, frames, from, nextCycle(frames, from + 1));
                continue;
            }
            int times = repetitions(frames, from, cycle);
            appendFrames(lines, frames, from, from + cycle);
            lines.add(LEFT_OUT + "the " + frames(cycle) + " above " + (times - 1) + " times more");
            from += cycle * times;
        }
        return lines;
    }

    private int appendFrames(List<String> lines, StackTraceElement[] frames, int from, int to) {
        Set<String> libraries = new LinkedHashSet<>();
        int hidden = 0;
        for (int i = from; i < to; i++) {
            String library = origin.library(frames[i]);
            if (library != null && i > 0) {
                libraries.add(library);
                hidden++;
                continue;
            }
            hidden = appendHidden(lines, libraries, hidden);
            lines.add(FRAME + line(frames[i]));
        }
        appendHidden(lines, libraries, hidden);
        return to;
    }

    private static int appendHidden(List<String> lines, Set<String> libraries, int hidden) {
        if (hidden > 0) {
            lines.add(LEFT_OUT + frames(hidden) + " of " + String.join(", ", libraries));
            libraries.clear();
        }
        return 0;
    }

    /** Where the next repetition begins, for example in a stack overflow. */
    private int nextCycle(StackTraceElement[] frames, int from) {
        int next = from;
        while (next < frames.length && cycleAt(frames, next) == 0) {
            next++;
        }
        return next;
    }

    /** How many frames are repeated from here; 0 when none are, or none of the application's. */
    private int cycleAt(StackTraceElement[] frames, int from) {
        for (int cycle = 1; cycle <= LONGEST_CYCLE; cycle++) {
            if (repetitions(frames, from, cycle) >= FEWEST_REPETITIONS) {
                boolean application =
                        Arrays.stream(frames, from, from + cycle).anyMatch(frame -> origin.library(frame) == null);
                return application ? cycle : 0;
            }
        }
        return 0;
    }

    private static int repetitions(StackTraceElement[] frames, int from, int cycle) {
        int times = 1;
        while (from + (times + 1) * cycle <= frames.length
                && Arrays.equals(
                        frames, from, from + cycle, frames, from + times * cycle, from + (times + 1) * cycle)) {
            times++;
        }
        return times;
    }

    private static int commonFrames(StackTraceElement[] frames, StackTraceElement[] others) {
        int common = 0;
        while (common < frames.length
                && common < others.length
                && frames[frames.length - 1 - common].equals(others[others.length - 1 - common])) {
            common++;
        }
        return common;
    }

    private String title(Throwable error) {
        return error.getClass().getName() + description.apply(error);
    }

    /** Without modules and class loaders. */
    private static String line(StackTraceElement frame) {
        String file = frame.isNativeMethod() ? "Native Method" : frame.getFileName();
        String location = file == null
                ? "Unknown Source"
                : frame.getLineNumber() >= 0 ? file + ":" + frame.getLineNumber() : file;
        return PlainText.line(frame.getClassName() + "." + frame.getMethodName() + "(" + location + ")", MAX_LINE);
    }

    private static String frames(int count) {
        return count + (count == 1 ? " frame" : " frames");
    }
}
