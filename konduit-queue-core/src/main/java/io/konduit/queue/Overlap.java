package io.konduit.queue;

/** What a schedule does when its previous task is not finished. */
public enum Overlap {
    /** It does not fire, and records why. A task that is held for a person is not finished; one that has failed is. */
    SKIP,
    /** It fires anyway. */
    ALLOW
}
