package bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Small plots without a library: bars, and lines over steps. */
final class Svg {
    private static final int WIDTH = 720;
    private static final int LEFT = 170;
    private static final int RIGHT = 90;
    private static final int BAR = 24;
    private static final Map<String, String> COLOURS = Map.of(
            "konduit", "#1f6feb",
            "raw-sql", "#8b949e",
            "db-scheduler-lock", "#d29922",
            "db-scheduler-fetch", "#e3b341",
            "jobrunr", "#a371f7",
            "quartz", "#f0883e");

    record Bar(String label, String system, double value) {}

    record Line(String system, double[] values) {}

    private Svg() {}

    /** One bar per figure; on a logarithmic scale when they differ by more than a hundred times. */
    static String bars(String title, List<Bar> bars, boolean lowIsGood) {
        double greatest = bars.stream().mapToDouble(Bar::value).max().orElse(1);
        double least =
                bars.stream().mapToDouble(Bar::value).filter(v -> v > 0).min().orElse(1);
        boolean logarithmic = greatest / least > 100;
        double base = Math.pow(10, Math.floor(Math.log10(least))) / 2;
        int height = 64 + bars.size() * (BAR + 8);
        var svg = new StringBuilder(open(height));
        svg.append(text(16, 26, "start", 16, "bold", title));
        svg.append(text(
                16,
                46,
                "start",
                12,
                "normal",
                (lowIsGood ? "lower is better" : "higher is better") + (logarithmic ? ", logarithmic scale" : "")));
        int y = 60;
        for (Bar bar : bars) {
            double share = logarithmic
                    ? Math.log(Math.max(bar.value(), base) / base) / Math.log(greatest / base)
                    : bar.value() / greatest;
            double width = Math.max(2, share * (WIDTH - LEFT - RIGHT));
            svg.append(text(LEFT - 10, y + 17, "end", 13, "normal", bar.label()));
            svg.append("<rect x=\"%d\" y=\"%d\" width=\"%s\" height=\"%d\" rx=\"3\" fill=\"%s\"/>\n"
                    .formatted(LEFT, y, number(width), BAR, colour(bar.system())));
            svg.append(text(LEFT + width + 6, y + 17, "start", 12, "normal", Goals.text(bar.value())));
            y += BAR + 8;
        }
        return svg.append("</svg>\n").toString();
    }

    /** One line per system over the same steps. */
    static String lines(String title, String subtitle, List<String> steps, List<Line> lines) {
        int height = 360, top = 70, bottom = height - 50;
        double greatest = lines.stream()
                .flatMapToDouble(line -> java.util.Arrays.stream(line.values()))
                .filter(Double::isFinite)
                .max()
                .orElse(1);
        var svg = new StringBuilder(open(height));
        svg.append(text(16, 26, "start", 16, "bold", title));
        svg.append(text(16, 46, "start", 12, "normal", subtitle));
        int left = 80;
        double step = (WIDTH - left - 160.0) / Math.max(1, steps.size() - 1);
        for (int i = 0; i <= 4; i++) {
            double y = bottom - (bottom - top) * i / 4.0;
            svg.append("<line x1=\"%d\" x2=\"%s\" y1=\"%s\" y2=\"%s\" stroke=\"#d0d7de\"/>\n"
                    .formatted(left, number(left + step * (steps.size() - 1)), number(y), number(y)));
            svg.append(text(left - 8, y + 4, "end", 12, "normal", Goals.text(greatest * i / 4)));
        }
        for (int i = 0; i < steps.size(); i++)
            svg.append(text(left + step * i, bottom + 20, "middle", 12, "normal", steps.get(i)));
        double labelBelow = top - 20;
        List<Line> byEnd = new ArrayList<>(lines);
        byEnd.sort((a, b) -> Double.compare(lastOf(b), lastOf(a)));
        for (Line line : byEnd) {
            var points = new StringBuilder();
            for (int i = 0; i < line.values().length; i++) {
                if (!Double.isFinite(line.values()[i])) continue;
                points.append(number(left + step * i))
                        .append(',')
                        .append(number(bottom - (bottom - top) * line.values()[i] / greatest))
                        .append(' ');
            }
            svg.append("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2.5\"/>\n"
                    .formatted(points.toString().trim(), colour(line.system())));
            double y = Math.max(labelBelow + 16, bottom - (bottom - top) * lastOf(line) / greatest + 4);
            labelBelow = y;
            svg.append("<g fill=\"%s\">%s</g>\n"
                    .formatted(
                            colour(line.system()),
                            text(left + step * (steps.size() - 1) + 10, y, "start", 12, "bold", line.system())
                                    .replace(" fill=\"#1f2328\"", "")));
        }
        return svg.append("</svg>\n").toString();
    }

    private static double lastOf(Line line) {
        double last = 0;
        for (double value : line.values()) if (Double.isFinite(value)) last = value;
        return last;
    }

    private static String open(int height) {
        return ("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"system-ui, sans-serif\">\n"
                        + "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n")
                .formatted(WIDTH, height);
    }

    private static String text(double x, double y, String anchor, int size, String weight, String text) {
        return "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\" font-size=\"%d\" font-weight=\"%s\" fill=\"#1f2328\">%s</text>\n"
                .formatted(
                        number(x),
                        number(y),
                        anchor,
                        size,
                        weight,
                        text.replace("&", "&amp;").replace("<", "&lt;"));
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static String colour(String system) {
        return COLOURS.getOrDefault(system, "#57606a");
    }
}
