package io.konduit.queue;

/** A pass of the reaper has failed; it is tried again. {@code error} is the class of the error. */
public record ReaperFailed(String error) {}
