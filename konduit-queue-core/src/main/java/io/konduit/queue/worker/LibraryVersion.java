package io.konduit.queue.worker;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** The version of this library, read from a file that the build writes: a manifest exists only in a jar. */
final class LibraryVersion {
    static final String VERSION = read();

    private static final String UNKNOWN = "unknown";

    private LibraryVersion() {}

    private static String read() {
        Properties properties = new Properties();
        try (InputStream file = LibraryVersion.class.getResourceAsStream("version.properties")) {
            if (file != null) {
                properties.load(file);
            }
        } catch (IOException e) {
            return UNKNOWN;
        }
        String version = properties.getProperty("version", UNKNOWN);
        // an IDE may have copied the file unfiltered
        return version.contains("$") ? UNKNOWN : version;
    }
}
