import static com.azure.data.tables.models.TableTransactionActionType.CREATE;
import static com.azure.data.tables.models.TableTransactionActionType.DELETE;
import static com.azure.data.tables.models.TableTransactionActionType.UPDATE_MERGE;
import static com.azure.data.tables.models.TableTransactionActionType.UPDATE_REPLACE;
import static com.azure.data.tables.models.TableTransactionActionType.UPSERT_MERGE;
import static com.azure.data.tables.models.TableTransactionActionType.UPSERT_REPLACE;

import com.azure.data.tables.models.ListEntitiesOptions;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableTransactionAction;
import com.azure.data.tables.models.TableTransactionActionType;
import com.azure.data.tables.models.TableTransactionFailedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Transactions: either all operations are carried out or none, and the error is that of the failed operation. */
final class Transactions {
    private static final Map<String, Object> one = Map.of("a", 1);
    private static final Map<String, Object> three = Map.of("c", 3);

    private Transactions() {
    }

    static void register() {
        Checks.check("transaction-kinds", () -> {
            String partition = insertRows("gone", "merged", "replaced");
            int parts = Checks.table.submitTransaction(List.of(
                action(CREATE, partition, "new"),
                action(DELETE, partition, "gone"),
                action(UPDATE_MERGE, partition, "merged"),
                action(UPDATE_REPLACE, partition, "replaced"),
                action(UPSERT_MERGE, partition, "upsert merge"),
                action(UPSERT_REPLACE, partition, "upsert replace"))).getTransactionActionResponses().size();
            Checks.equal(parts, 6);
            Checks.equal(rowsOf(partition), Map.of("new", three, "merged", Map.of("a", 1, "c", 3), "replaced", three,
                "upsert merge", three, "upsert replace", three));
        });
        Checks.check("transaction-100", () -> {
            String partition = Checks.randomName();
            List<TableTransactionAction> actions = new ArrayList<>();
            for (int row = 0; row < 100; row++) actions.add(action(CREATE, partition, String.valueOf(row)));
            Checks.table.submitTransaction(actions);
            Checks.equal(rowsOf(partition).size(), 100);
        });
        Checks.check("transaction-fails", () -> {
            String partition = insertRows("taken");
            TableTransactionAction fresh = action(CREATE, partition, "new");
            Checks.equal(failureOf(fresh, action(CREATE, partition, "taken")), "EntityAlreadyExists at 1");
            Checks.equal(failureOf(fresh, action(UPDATE_MERGE, partition, "none")), "ResourceNotFound at 1");
            Checks.equal(rowsOf(partition), Map.of("taken", one));
        });
    }

    static String insertRows(String... rows) {
        String partition = Checks.randomName();
        for (String row : rows) Checks.table.createEntity(new TableEntity(partition, row).addProperty("a", 1));
        return partition;
    }

    private static TableTransactionAction action(TableTransactionActionType type, String partition, String row) {
        return new TableTransactionAction(type, new TableEntity(partition, row).addProperty("c", 3));
    }

    private static Map<String, Object> rowsOf(String partition) {
        Map<String, Object> rows = new HashMap<>();
        ListEntitiesOptions options = new ListEntitiesOptions().setFilter("PartitionKey eq '" + partition + "'");
        for (TableEntity found : Checks.table.listEntities(options, null, null)) {
            rows.put(found.getRowKey(), Checks.propertiesOf(found));
        }
        return rows;
    }

    /** Code and index of the operation that failed. The exception has the status of the batch, 202. */
    private static String failureOf(TableTransactionAction... actions) {
        try {
            Checks.table.submitTransaction(List.of(actions));
        } catch (TableTransactionFailedException failure) {
            return failure.getValue().getErrorCode() + " at " + failure.getFailedTransactionActionIndex();
        }
        return "done";
    }
}
