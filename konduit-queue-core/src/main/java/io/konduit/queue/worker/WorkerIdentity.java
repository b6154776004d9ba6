package io.konduit.queue.worker;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Identifies this worker.
 *
 * @param id random for each start: a restarted node never has the leases of the previous one
 * @param version of this library
 * @param applicationVersion null when the application has none
 */
public record WorkerIdentity(
        UUID id,
        String name,
        String host,
        long pid,
        String version,
        @Nullable String applicationVersion) {

    /** A new identity on this machine; {@code name} is for people and need not be unique. */
    public static WorkerIdentity create(String name) {
        return create(name, null);
    }

    /** A new identity in an application that declares its version. */
    public static WorkerIdentity create(String name, @Nullable String applicationVersion) {
        return new WorkerIdentity(
                UUID.randomUUID(),
                name,
                hostName(),
                ProcessHandle.current().pid(),
                LibraryVersion.VERSION,
                applicationVersion);
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }
}
