package io.konduit.queue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Names a statement of the queue by its file, so that tests recognise it whatever its comments say. */
public final class SqlFile {
    private SqlFile() {}

    /** The first line of {@code <name>.sql}, which the statement keeps on its way to the server. */
    public static String opening(String name) {
        try (InputStream in = SqlFile.class.getResourceAsStream("/io/konduit/queue/store/" + name + ".sql")) {
            if (in == null) {
                throw new IllegalArgumentException("There is no statement " + name + ".sql.");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
