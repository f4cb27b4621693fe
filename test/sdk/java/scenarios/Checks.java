import com.azure.core.exception.HttpResponseException;
import com.azure.core.http.rest.Response;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.TableServiceClientBuilder;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableServiceException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;

/** What every check uses: the list of checks, the clients, and the response as a short text. */
final class Checks {
    interface Check {
        void run() throws Exception;
    }

    static final String RUN = UUID.randomUUID().toString().substring(0, 8);
    static final String CONNECTION_STRING = System.getenv("TABLES_CONNECTION_STRING");
    static final TableServiceClient service =
        new TableServiceClientBuilder().connectionString(CONNECTION_STRING).buildClient();
    static final TableClient table = service.getTableClient("java" + RUN);

    private static final Map<String, Check> checks = new LinkedHashMap<>();

    private Checks() {
    }

    /** Registers the check of a scenario. */
    static void check(String name, Check check) {
        checks.put(name, check);
    }

    /** Runs the checks in turn, and prints one JSON object per line, which the test reads. */
    static void runAll() {
        table.createTable();
        checks.forEach((name, check) -> {
            String failure = "";
            try {
                check.run();
            } catch (Throwable thrown) {
                StringWriter trace = new StringWriter();
                thrown.printStackTrace(new PrintWriter(trace));
                failure = ",\"error\":\"" + escaped(trace.toString()) + "\"";
            }
            System.out.println("{\"check\":\"" + name + "\",\"ok\":" + failure.isEmpty() + failure + "}");
        });
        table.deleteTable();
    }

    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        for (char unit : text.toCharArray()) {
            boolean plain = unit >= ' ' && unit < 127 && unit != '"' && unit != '\\';
            escaped.append(plain ? String.valueOf(unit) : String.format("\\u%04x", (int) unit));
        }
        return escaped.toString();
    }

    /** Compares values with their types: 5 is not equal to 5.0 or 5L. */
    static void equal(Object seen, Object expected) {
        boolean same = seen instanceof byte[] bytes && expected instanceof byte[] others
            ? Arrays.equals(bytes, others)
            : Objects.equals(seen, expected);
        if (!same) throw new AssertionError("saw " + text(seen) + ", expected " + text(expected));
    }

    private static String text(Object value) {
        return value == null ? "null" : value + " (" + value.getClass().getSimpleName() + ")";
    }

    /** The response that the server sent, "204" or "409 EntityAlreadyExists". For deletions, the SDK returns a 404 without its code. */
    static String answerOf(Supplier<? extends Response<?>> call) {
        try {
            return String.valueOf(call.get().getStatusCode());
        } catch (TableServiceException refusal) {
            return refusal.getResponse().getStatusCode() + " " + refusal.getValue().getErrorCode();
        }
    }

    /** "done", or the refusal of a list. The exception of a list has the code only in its text. */
    static String refusalOf(Check list) throws Exception {
        try {
            list.run();
        } catch (HttpResponseException refusal) {
            String code = refusal.getMessage().replaceAll("(?s).*\"code\":\"(\\w+)\".*", "$1");
            return refusal.getResponse().getStatusCode() + " " + code;
        }
        return "done";
    }

    static String randomName() {
        return UUID.randomUUID().toString();
    }

    static TableEntity newEntity() {
        return new TableEntity("java", randomName());
    }

    /** The properties of an entity that the program has set. */
    static Map<String, Object> propertiesOf(TableEntity found) {
        Map<String, Object> properties = new HashMap<>(found.getProperties());
        properties.keySet().removeIf(name -> name.contains("odata.")
            || name.equals("PartitionKey") || name.equals("RowKey") || name.equals("Timestamp"));
        return properties;
    }

    static Map<String, Object> stored(TableEntity entity) {
        return propertiesOf(table.getEntity(entity.getPartitionKey(), entity.getRowKey()));
    }

    static String get(TableClient client, String partition, String row) {
        return answerOf(() -> client.getEntityWithResponse(partition, row, null, null, null));
    }
}
