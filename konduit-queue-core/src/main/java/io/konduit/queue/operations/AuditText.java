package io.konduit.queue.operations;

import io.konduit.queue.admin.InvalidRequestException;
import org.jspecify.annotations.Nullable;

/** The rules for texts that operators write into the audit. */
public final class AuditText {
    private static final int LONGEST = 500;

    private AuditText() {}

    /** Checks who decides and why. */
    public static void require(String actor, @Nullable String note) {
        requireActor(actor);
        requireNote(note);
    }

    private static void requireActor(String actor) {
        if (actor.isBlank() || actor.length() > LONGEST) {
            String found = actor.isBlank() ? "is blank" : "has " + actor.length();
            throw new InvalidRequestException("Expected the actor to have 1 to " + LONGEST + " characters, but it "
                    + found + ". Every decision is recorded with its actor.");
        }
        for (int i = 0; i < actor.length(); i++) {
            if (Character.isISOControl(actor.charAt(i))) {
                throw new InvalidRequestException("Expected the actor to have no control characters, but character "
                        + (i + 1) + " is U+" + "%04X".formatted((int) actor.charAt(i)) + ".");
            }
        }
    }

    private static void requireNote(@Nullable String note) {
        if (note == null) {
            return;
        }
        if (note.length() > LONGEST) {
            throw new InvalidRequestException(
                    "Expected the note to have at most " + LONGEST + " characters, but it has " + note.length() + ".");
        }
        if (note.indexOf('\0') >= 0) {
            throw new InvalidRequestException("Expected the note to have no NUL characters, but character "
                    + (note.indexOf('\0') + 1) + " is one.");
        }
    }
}
