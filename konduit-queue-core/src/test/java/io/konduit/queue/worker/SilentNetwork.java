package io.konduit.queue.worker;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A way to the database that can swallow everything on the connections made so far, without closing one. */
final class SilentNetwork implements AutoCloseable {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final ServerSocket entrance = new ServerSocket(0);
    private final List<Socket> sockets = new ArrayList<>();
    private final String host;
    private final int port;
    private volatile int silenced;
    private volatile int deafAfter = Integer.MAX_VALUE;
    private volatile boolean refusing;
    private boolean held;
    private int connections;

    SilentNetwork(String host, int port) throws IOException {
        this.host = host;
        this.port = port;
        threads.execute(this::accept);
    }

    int port() {
        return entrance.getLocalPort();
    }

    /** From now on nothing gets through on the connections that exist. New ones work. */
    synchronized void silence() {
        silenced = connections;
    }

    /** From now on nothing gets through, on new connections neither. */
    synchronized void silenceAll() {
        silenced = Integer.MAX_VALUE;
    }

    /** From now on nothing gets through on new connections. Those that exist work. */
    synchronized void silenceNew() {
        deafAfter = connections;
    }

    /** From now on new connections work. Those that were silent stay so. */
    synchronized void heal() {
        silenced = connections;
        deafAfter = Integer.MAX_VALUE;
        refusing = false;
    }

    /** A cut: nothing gets through until {@link #release}. Nothing is lost, as TCP sends it again. */
    synchronized void hold() {
        held = true;
    }

    synchronized void release() {
        held = false;
        notifyAll();
    }

    private synchronized void awaitRelease() throws IOException {
        try {
            while (held) {
                wait();
            }
        } catch (InterruptedException e) {
            throw new IOException("The network ends.", e);
        }
    }

    /** Closes every connection, and each new one at once. */
    synchronized void refuse() throws IOException {
        refusing = true;
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    /** Closes the newest connection, on both sides. */
    synchronized void cutNewest() throws IOException {
        sockets.get(sockets.size() - 1).close();
        sockets.get(sockets.size() - 2).close();
    }

    synchronized int connections() {
        return connections;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = entrance.accept();
                if (refusing) {
                    client.close();
                    continue;
                }
                Socket server = new Socket(host, port);
                int number;
                synchronized (this) {
                    sockets.addAll(List.of(client, server));
                    number = ++connections;
                }
                threads.execute(() -> forward(client, server, number, true));
                threads.execute(() -> forward(server, client, number, false));
            }
        } catch (IOException e) {
            // the entrance was closed
        }
    }

    private void forward(Socket from, Socket to, int number, boolean fromClient) {
        byte[] bytes = new byte[8192];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                awaitRelease();
                if (passes(number)) {
                    out.write(bytes, 0, read);
                }
            }
            // that the server has ended a silent connection is not heard either
            if (fromClient || passes(number)) {
                from.close();
                to.close();
            }
        } catch (IOException e) {
            closeQuietly(from);
            closeQuietly(to);
        }
    }

    private boolean passes(int number) {
        return number > silenced && number <= deafAfter;
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // it is closed
        }
    }

    @Override
    public synchronized void close() throws IOException {
        entrance.close();
        for (Socket socket : sockets) {
            socket.close();
        }
        threads.shutdownNow();
    }
}
