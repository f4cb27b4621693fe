import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Runs the named classes, and writes the outcome of each test as a JSON object per line to the file that SUITE_REPORT names. */
class Outcomes extends RunListener {
    private final PrintStream report;
    private final Set<Description> reported = new HashSet<>();

    private Outcomes(PrintStream report) {
        this.report = report;
    }

    public static void main(String[] classes) throws Exception {
        try (PrintStream report = new PrintStream(System.getenv("SUITE_REPORT"), StandardCharsets.UTF_8)) {
            JUnitCore core = new JUnitCore();
            core.addListener(new Outcomes(report));
            for (String name : classes) core.run(Request.aClass(Class.forName(name)));
        }
        System.exit(0);
    }

    @Override
    public void testFailure(Failure failure) {
        write(failure.getDescription(), "failed", failure.getTrace());
    }

    @Override
    public void testAssumptionFailure(Failure failure) {
        write(failure.getDescription(), "skipped", String.valueOf(failure.getMessage()));
    }

    @Override
    public void testIgnored(Description test) {
        write(test, "skipped", "ignored");
    }

    @Override
    public void testFinished(Description test) {
        if (!reported.contains(test)) write(test, "passed", "");
    }

    private void write(Description test, String outcome, String message) {
        reported.add(test);
        List<String> parts = List.of("name", test.getDisplayName(), "outcome", outcome, "message", message);
        StringBuilder line = new StringBuilder("{");
        for (int at = 0; at < parts.size(); at += 2) {
            line.append(at == 0 ? "" : ",").append(quoted(parts.get(at))).append(':').append(quoted(parts.get(at + 1)));
        }
        report.println(line.append('}'));
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char unit : text.toCharArray()) {
            boolean plain = unit >= ' ' && unit < 127 && unit != '"' && unit != '\\';
            quoted.append(plain ? String.valueOf(unit) : String.format("\\u%04x", (int) unit));
        }
        return quoted.append('"').toString();
    }
}
