import com.azure.data.tables.TableClient;
import com.azure.data.tables.models.ListEntitiesOptions;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableEntityUpdateMode;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Inserts, reads and keys of entities. */
final class Entities {
    private static final TableClient table = Checks.table;

    private Entities() {
    }

    static void register() {
        Checks.check("get-etag", () -> {
            TableEntity entity = Checks.newEntity();
            String etag = table.createEntityWithResponse(entity, null, null).getHeaders().getValue("ETag");
            TableEntity found = table.getEntity(entity.getPartitionKey(), entity.getRowKey());
            // The SDK returns the header without its last quotation mark.
            Checks.equal(found.getETag().replace("\"", ""), etag.replace("\"", ""));
            String time = etag.replace("%3A", ":").split("'")[1];
            Checks.equal(OffsetDateTime.parse(time), found.getTimestamp());
        });
        Checks.check("insert-existing", () -> {
            TableEntity taken = Checks.newEntity();
            Checks.equal(Checks.answerOf(() -> table.createEntityWithResponse(taken, null, null)), "204");
            Checks.equal(Checks.answerOf(() -> table.createEntityWithResponse(taken, null, null)), "409 EntityAlreadyExists");
        });
        Checks.check("get-missing", () -> Checks.equal(Checks.get(table, "java", "missing"), "404 ResourceNotFound"));
        Checks.check("get-select", () -> {
            TableEntity entity = Checks.newEntity().addProperty("a", 1).addProperty("b", "two").addProperty("c", true);
            table.createEntity(entity);
            List<String> names = List.of("b", "absent");
            TableEntity found = table.getEntityWithResponse(entity.getPartitionKey(), entity.getRowKey(), names, null, null)
                .getValue();
            Map<String, Object> expected = new HashMap<>();
            expected.put("b", "two");
            expected.put("absent", null);
            Checks.equal(Checks.propertiesOf(found), expected);
        });
        Checks.check("list-select", Entities::checkSelect);
        Checks.check("list-filter", Entities::checkFilter);
        checkKeys();
    }

    private static void checkSelect() {
        TableClient small = Checks.service.createTable("javaSelect" + Checks.RUN);
        small.createEntity(new TableEntity("p", "1").addProperty("a", 1).addProperty("b", "two"));
        small.createEntity(new TableEntity("p", "2").addProperty("a", 2));
        List<Object> listed = new ArrayList<>();
        ListEntitiesOptions options = new ListEntitiesOptions().setSelect(List.of("PartitionKey", "RowKey", "b"));
        for (TableEntity found : small.listEntities(options, null, null)) {
            Checks.equal(found.getETag() != null, true);
            listed.add(Checks.propertiesOf(found));
        }
        Map<String, Object> lacking = new HashMap<>();
        lacking.put("b", null);
        Checks.equal(listed, List.of(Map.of("b", "two"), lacking));
        small.deleteTable();
    }

    private static void checkFilter() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("text", "O'Neil");
        values.put("flag", true);
        values.put("int", 5);
        values.put("long", (1L << 53) + 1);
        values.put("double", 1.5);
        values.put("when", OffsetDateTime.parse("2024-05-01T10:00:00.25Z"));
        values.put("guid", UUID.fromString("c9da6455-213d-42c9-9a79-3e9149a57833"));
        values.put("bytes", new byte[] {1, 2, (byte) 254});
        table.createEntity(new TableEntity("filter", "all").setProperties(new HashMap<>(values)));
        for (String without : values.keySet()) {
            Map<String, Object> others = new HashMap<>(values);
            others.remove(without);
            table.createEntity(new TableEntity("filter", without).setProperties(others));
        }
        String filter = "PartitionKey eq 'filter' and text eq 'O''Neil' and flag eq true and int eq 5"
            + " and long eq 9007199254740993L and double eq 1.5 and when eq datetime'2024-05-01T10:00:00.25Z'"
            + " and guid eq guid'c9da6455-213d-42c9-9a79-3e9149a57833' and bytes eq X'0102fe'";
        List<String> rows = new ArrayList<>();
        table.listEntities(new ListEntitiesOptions().setFilter(filter), null, null)
            .forEach(found -> rows.add(found.getRowKey()));
        Checks.equal(rows, List.of("all"));
    }

    private static void checkKeys() {
        Map<String, List<String>> keys = new LinkedHashMap<>();
        keys.put("key-quotes", List.of("O'Neil", "''"));
        keys.put("key-address", List.of("a',RowKey='b", "') and (x eq '"));
        keys.put("key-percent", List.of("100%", "%25%2F%"));
        keys.put("key-plus", List.of(" a+b c ", "+ %20+"));
        keys.put("key-punctuation", List.of("~!@$^&*()_-=[]{}|;:\",.<>`", "&=$@:,;"));
        keys.put("key-unicode", List.of("Grüße 漢字", "👩‍🚀 \uffee"));
        keys.put("key-empty", List.of("", ""));
        keys.put("key-empty-partition", List.of("", "row"));
        keys.put("key-empty-row", List.of("partition", ""));
        keys.forEach((name, key) -> Checks.check(name, () -> checkKey(key.get(0), key.get(1))));
    }

    private static void checkKey(String partition, String row) {
        table.createEntity(new TableEntity(partition, row).addProperty("a", 1));
        Checks.equal(Checks.propertiesOf(table.getEntity(partition, row)), Map.of("a", 1));
        table.updateEntity(new TableEntity(partition, row).addProperty("a", 2), TableEntityUpdateMode.REPLACE);
        table.upsertEntity(new TableEntity(partition, row).addProperty("b", 3));
        TableEntity found = table.getEntity(partition, row);
        Checks.equal(List.of(found.getPartitionKey(), found.getRowKey()), List.of(partition, row));
        Checks.equal(Checks.propertiesOf(found), Map.of("a", 2, "b", 3));
        table.deleteEntity(partition, row);
        Checks.equal(Checks.get(table, partition, row), "404 ResourceNotFound");
    }
}
