package shop;

import java.util.function.Supplier;

/** Code of an application, in a package that no framework has. */
public final class Shop {
    private Shop() {}

    public static class MailFailedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public MailFailedException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Deeper than any limit on frames, with the error at the bottom. */
    public static void deep(int calls, String number) {
        if (calls == 0) {
            Integer.parseInt(number);
            return;
        }
        // two callers, so that no cycle of frames looks like an overflow
        if (Integer.bitCount(calls) % 2 == 0) {
            even(calls, number);
        } else {
            deep(calls - 1, number);
        }
    }

    private static void even(int calls, String number) {
        deep(calls - 1, number);
    }

    public static void wrapping(Runnable work, String message) {
        try {
            work.run();
        } catch (RuntimeException e) {
            throw new MailFailedException(message, e);
        }
    }

    public static int endless(int n) {
        return again(n) + 1;
    }

    private static int again(int n) {
        return endless(n + 1);
    }

    public static <T> T call(Supplier<T> work) {
        return work.get();
    }
}
