package io.konduit.queue.worker;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.UUID;

/**
 * Who this worker is.
 *
 * @param id random for each start: a restarted node never has the leases of the one before
 */
public record WorkerIdentity(UUID id, String name, String host, long pid, String version) {

    /** A new identity on this machine; {@code name} is for people and need not be unique. */
    public static WorkerIdentity create(String name) {
        String version = WorkerIdentity.class.getPackage().getImplementationVersion();
        return new WorkerIdentity(
                UUID.randomUUID(),
                name,
                hostName(),
                ProcessHandle.current().pid(),
                version == null ? "unknown" : version);
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }
}
