package io.konduit.queue.event;

/** A pass of the reaper has failed and will be retried. {@code error} is the class of the exception. */
public record ReaperFailed(String error) {}
