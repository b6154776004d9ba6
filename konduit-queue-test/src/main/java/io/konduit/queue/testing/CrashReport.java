package io.konduit.queue.testing;

import java.util.List;

/** What {@link CrashEverywhere} has found. Its text names the points that leave a different end. */
public final class CrashReport {
    private final String type;
    private final List<CrashRun> runs;

    CrashReport(String type, List<CrashRun> runs) {
        this.type = type;
        this.runs = List.copyOf(runs);
    }

    /** What the test did to the worker. */
    public enum Fate {
        /** The worker died. */
        DEATH,
        /** The worker froze, lost its lease, and went on after the task had run elsewhere. */
        ZOMBIE
    }

    /** How a run ended. */
    public enum Verdict {
        SAME_END,
        DIFFERENT_END,
        /** The task waits for a person, as it should when it must not run twice. The end is not compared. */
        HELD,
        /**
         * The worker could not become a zombie here, because its transaction holds the task: it went on and ended
         * the same.
         */
        PROTECTED,
        /** The handler caught the simulated death, as {@code catch (Throwable)} does, and went on. */
        DEATH_CAUGHT,
        /** The handler did not come to the point in the same way as in the undisturbed run. */
        OTHER_WAY;

        /** Whether the test may pass with it. */
        public boolean isFine() {
            return this == SAME_END || this == HELD || this == PROTECTED;
        }
    }

    /**
     * One run of the task with one fate.
     *
     * @param point where it struck, such as {@code after commit 2 (ImportJobs.java:41)}
     * @param details lines for people: what is different
     */
    public record CrashRun(Fate fate, String point, Verdict verdict, List<String> details) {
        public CrashRun {
            details = List.copyOf(details);
        }

        private String headline() {
            return (fate == Fate.DEATH ? "dies " : "zombie ") + point;
        }
    }

    /** All runs, in the order of their points. */
    public List<CrashRun> runs() {
        return runs;
    }

    /** Whether every run ended the same, or is held for a person. */
    public boolean isSameEnd() {
        return runs.stream().allMatch(run -> run.verdict().isFine());
    }

    /**
     * Fails with the report as its message unless {@link #isSameEnd}.
     *
     * @return this report
     */
    public CrashReport assertSameEnd() {
        if (!isSameEnd()) {
            throw new AssertionError(toString());
        }
        return this;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        long wrong = runs.stream().filter(run -> !run.verdict().isFine()).count();
        text.append(
                wrong == 0
                        ? "Task '%s' ends the same wherever its worker dies: %s.".formatted(type, counted())
                        : "Task '%s' does not end the same wherever its worker dies: %d of %s."
                                .formatted(type, wrong, counted()));
        for (CrashRun run : runs) {
            if (!run.verdict().isFine()) {
                text.append("\n\n").append(run.headline()).append(": ").append(words(run.verdict()));
                run.details().forEach(line -> text.append("\n  ").append(line));
            }
        }
        text.append("\n");
        for (CrashRun run : runs) {
            if (run.verdict().isFine()) {
                text.append("\n").append(run.headline()).append(": ").append(words(run.verdict()));
            }
        }
        return text.toString();
    }

    private String counted() {
        long deaths = runs.stream().filter(run -> run.fate() == Fate.DEATH).count();
        long held = runs.stream().filter(run -> run.verdict() == Verdict.HELD).count();
        String counted = deaths
                + (deaths == 1 ? " death and " : " deaths and ")
                + (runs.size() - deaths)
                + (runs.size() - deaths == 1 ? " zombie" : " zombies");
        return held == 0 ? counted : counted + ", " + held + " of them held for a person";
    }

    private static String words(Verdict verdict) {
        return switch (verdict) {
            case SAME_END -> "same end";
            case DIFFERENT_END -> "different end";
            case HELD -> "held for a person";
            case PROTECTED -> "same end; its transaction holds the task, so it is not taken away";
            case DEATH_CAUGHT -> "the handler caught its death";
            case OTHER_WAY -> "another way";
        };
    }
}
