package io.konduit.queue.host;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;

/** An application's lock provider on Redis, as ShedLock's own: one key with a time to live, changed only by its owner. */
final class RedisLocks implements LockProvider {
    private static final int TIMEOUT_MILLIS = 300;
    private static final String IF_MINE = "if redis.call('get', KEYS[1]) == ARGV[1] then return %s else return 0 end";
    private static final String EXTEND = IF_MINE.formatted("redis.call('pexpire', KEYS[1], ARGV[2])");
    private static final String DELETE = IF_MINE.formatted("redis.call('del', KEYS[1])");

    private final int port;

    RedisLocks(int port) {
        this.port = port;
    }

    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        String token = UUID.randomUUID().toString();
        String answer = call("SET", configuration.getName(), token, "NX", "PX", millis(configuration));
        return answer.equals("+OK") ? Optional.of(new Held(configuration, token)) : Optional.empty();
    }

    private final class Held extends AbstractSimpleLock {
        private final String token;

        Held(LockConfiguration configuration, String token) {
            super(configuration);
            this.token = token;
        }

        @Override
        protected void doUnlock() {
            call("EVAL", DELETE, "1", lockConfiguration.getName(), token);
        }

        @Override
        protected Optional<SimpleLock> doExtend(LockConfiguration extended) {
            String answer = call("EVAL", EXTEND, "1", extended.getName(), token, millis(extended));
            return answer.equals(":1") ? Optional.of(new Held(extended, token)) : Optional.empty();
        }
    }

    private static String millis(LockConfiguration configuration) {
        return Long.toString(configuration.getLockAtMostFor().toMillis());
    }

    /** Sends a command as an array of strings; returns the first line of the answer. */
    private String call(String... words) {
        StringBuilder command = new StringBuilder("*" + words.length + "\r\n");
        for (String word : words) {
            command.append("$")
                    .append(word.getBytes(StandardCharsets.UTF_8).length)
                    .append("\r\n")
                    .append(word)
                    .append("\r\n");
        }
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.getOutputStream().write(command.toString().getBytes(StandardCharsets.UTF_8));
            String answer = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
            if (answer == null || answer.startsWith("-")) {
                throw new IllegalStateException("Redis answered " + answer);
            }
            return answer;
        } catch (IOException e) {
            throw new UncheckedIOException("Redis does not answer", e);
        }
    }
}
