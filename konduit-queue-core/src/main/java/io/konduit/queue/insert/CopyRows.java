package io.konduit.queue.insert;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.copy.CopyIn;

/** Rows in the binary format of COPY: each value with its length before it, null as the length -1. */
final class CopyRows {
    private static final byte[] SIGNATURE = {'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xff, '\r', '\n', 0};
    private static final int NULL = -1;
    private static final int JSONB_VERSION = 1;

    private ByteBuffer bytes = ByteBuffer.allocate(128 * 1024);

    CopyRows() {
        bytes.put(SIGNATURE).putInt(0).putInt(0);
    }

    int size() {
        return bytes.position();
    }

    void begin(short columns) {
        room(Short.BYTES).putShort(columns);
    }

    void end() {
        room(Short.BYTES).putShort((short) -1);
    }

    void smallint(short value) {
        room(Integer.BYTES + Short.BYTES).putInt(Short.BYTES).putShort(value);
    }

    void integer(@Nullable Integer value) {
        ByteBuffer room = room(2 * Integer.BYTES);
        if (value == null) {
            room.putInt(NULL);
        } else {
            room.putInt(Integer.BYTES).putInt(value);
        }
    }

    /** Also used for timestamps. */
    void bigint(@Nullable Long value) {
        ByteBuffer room = room(Integer.BYTES + Long.BYTES);
        if (value == null) {
            room.putInt(NULL);
        } else {
            room.putInt(Long.BYTES).putLong(value);
        }
    }

    void bool(@Nullable Boolean value) {
        ByteBuffer room = room(Integer.BYTES + 1);
        if (value == null) {
            room.putInt(NULL);
        } else {
            room.putInt(1).put((byte) (value ? 1 : 0));
        }
    }

    void text(@Nullable String value) {
        if (value == null) {
            room(Integer.BYTES).putInt(NULL);
        } else {
            byte[] text = value.getBytes(StandardCharsets.UTF_8);
            room(Integer.BYTES + text.length).putInt(text.length).put(text);
        }
    }

    void jsonb(String value) {
        byte[] text = value.getBytes(StandardCharsets.UTF_8);
        room(Integer.BYTES + 1 + text.length)
                .putInt(1 + text.length)
                .put((byte) JSONB_VERSION)
                .put(text);
    }

    /** Sends what was written so far. */
    void sendTo(CopyIn stream) throws SQLException {
        stream.writeToCopy(bytes.array(), 0, bytes.position());
        bytes.clear();
    }

    private ByteBuffer room(int more) {
        if (bytes.remaining() < more) {
            ByteBuffer larger = ByteBuffer.allocate(2 * (bytes.position() + more));
            bytes = larger.put(bytes.flip());
        }
        return bytes;
    }
}
