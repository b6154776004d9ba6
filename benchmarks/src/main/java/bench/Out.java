package bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** Prints one figure as one JSON line. */
final class Out {
    private static final ObjectMapper JSON = new ObjectMapper();

    static void line(String system, String workload, String variant, double value, String unit, Object... params) {
        if (!Double.isFinite(value))
            throw new IllegalStateException("not measured: " + system + ' ' + workload + ' ' + variant);
        Map<String, Object> p = new LinkedHashMap<>();
        p.put("variant", variant);
        for (int i = 0; i < params.length; i += 2) p.put((String) params[i], params[i + 1]);
        p.put("load1", ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
        p.put("busy_before_pct", Integer.getInteger("busy", -1));
        Map<String, Object> m = new LinkedHashMap<>();
        m.put("system", system);
        m.put("workload", workload);
        m.put("value", round(value));
        m.put("unit", unit);
        m.put("params", p);
        try {
            System.out.println(JSON.writeValueAsString(m));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static double median(double... v) {
        double[] s = v.clone();
        Arrays.sort(s);
        return s.length % 2 == 1 ? s[s.length / 2] : (s[s.length / 2 - 1] + s[s.length / 2]) / 2;
    }

    static double percentile(double[] v, double p) {
        double[] s = v.clone();
        Arrays.sort(s);
        return s[(int) Math.min(s.length - 1, Math.ceil(p * s.length) - 1)];
    }

    static double round(double v) {
        return Math.abs(v) >= 100 ? Math.round(v) : Math.round(v * 1000) / 1000.0;
    }

    static double[] rounded(double[] v) {
        return Arrays.stream(v).map(Out::round).toArray();
    }
}
