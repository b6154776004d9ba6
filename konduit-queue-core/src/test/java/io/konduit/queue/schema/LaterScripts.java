package io.konduit.queue.schema;

/** The scripts of this release and two more, as a later release would have them. */
final class LaterScripts {
    static final int NEWEST = 9002;

    private LaterScripts() {}

    static SchemaScripts read() {
        return SchemaScripts.read(SchemaScripts.FOLDER, "io/konduit/queue/schema/later");
    }
}
