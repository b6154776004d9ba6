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

    synchronized int connections() {
        return connections;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = entrance.accept();
                Socket server = new Socket(host, port);
                int number;
                synchronized (this) {
                    sockets.addAll(List.of(client, server));
                    number = ++connections;
                }
                threads.execute(() -> forward(client, server, number));
                threads.execute(() -> forward(server, client, number));
            }
        } catch (IOException e) {
            // the entrance was closed
        }
    }

    private void forward(Socket from, Socket to, int number) {
        byte[] bytes = new byte[8192];
        try (InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                if (number > silenced) {
                    out.write(bytes, 0, read);
                }
            }
        } catch (IOException e) {
            // one of the two has gone
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
