import com.azure.data.tables.models.TableEntity;
import java.time.OffsetDateTime;
import java.util.Map;
import java.util.UUID;

/** Every type that the SDK can express is written and read back. */
final class Types {
    private Types() {
    }

    static void register() {
        Checks.check("type-string", () -> {
            readsBack("plain", "", " \"quoted\" \\ 'single' ", "one\r\ntwo\ttab", "2024-05-01T10:00:00Z", "42");
        });
        Checks.check("type-unicode", () -> readsBack("Grüße, 漢字, עברית, 👩‍🚀 \u2028 \uffee"));
        Checks.check("type-boolean", () -> readsBack(true, false));
        Checks.check("type-int32", () -> readsBack(0, 42, Integer.MAX_VALUE, Integer.MIN_VALUE));
        Checks.check("type-int64", () -> readsBack((1L << 53) + 1, Long.MAX_VALUE, Long.MIN_VALUE, 7L));
        Checks.check("type-double", () -> readsBack(0.1, -2.5, Double.MAX_VALUE, Double.MIN_VALUE, 1234567890123456.8));
        Checks.check("type-double-whole", () -> readsBack(5.0, 0.0, 1e15));
        Checks.check("type-datetime", () -> {
            readsBack(OffsetDateTime.parse("2024-05-01T10:00:00.1234567Z"), OffsetDateTime.parse("1601-01-01T00:00:00Z"),
                OffsetDateTime.parse("9999-12-31T23:59:59.9999999Z"));
        });
        Checks.check("type-guid", () -> readsBack(UUID.fromString("c9da6455-213d-42c9-9a79-3e9149a57833")));
        Checks.check("type-binary", () -> {
            byte[] bytes = new byte[256];
            for (int index = 0; index < bytes.length; index++) bytes[index] = (byte) index;
            readsBack(bytes, new byte[0]);
        });
        Checks.check("type-null", () -> {
            TableEntity entity = Checks.newEntity().addProperty("value", null);
            Checks.table.createEntity(entity);
            Checks.equal(Checks.stored(entity), Map.of());
        });
    }

    private static void readsBack(Object... values) {
        for (Object value : values) {
            TableEntity entity = Checks.newEntity().addProperty("value", value);
            Checks.table.createEntity(entity);
            Checks.equal(Checks.stored(entity).get("value"), value);
        }
    }
}
