package io.konduit.queue.autoconfigure.dashboard;

import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/** The pages' JSON, whatever the application's own mapper does. */
final class DashboardJson {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .addModule(new SimpleModule()
                    .addSerializer(Long.class, new SafeLong())
                    .addSerializer(long.class, new SafeLong()))
            .build();

    private DashboardJson() {}

    static byte[] bytes(Object body) {
        return MAPPER.writeValueAsBytes(body);
    }

    /** A browser rounds numbers above 2^53, and ids are larger after a failover. */
    private static final class SafeLong extends StdSerializer<Long> {
        private static final long LARGEST = 1L << 53;

        SafeLong() {
            super(Long.class);
        }

        @Override
        public void serialize(Long value, JsonGenerator json, SerializationContext context) {
            if (value > LARGEST || value < -LARGEST) {
                json.writeString(value.toString());
            } else {
                json.writeNumber(value);
            }
        }
    }
}
