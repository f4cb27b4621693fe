import com.azure.data.tables.TableClient;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableEntityUpdateMode;
import java.util.List;
import java.util.Map;

/** Updates, upserts and deletes of entities, with and without conditions. */
final class Writes {
    private static final TableClient table = Checks.table;
    private static final List<TableEntityUpdateMode> modes =
        List.of(TableEntityUpdateMode.REPLACE, TableEntityUpdateMode.MERGE);
    private static final Map<String, Object> three = Map.of("c", 3);

    private Writes() {
    }

    static void register() {
        Checks.check("update-replace", () -> {
            TableEntity old = insertOld();
            Checks.equal(update(changed(old).addProperty("b", "new"), TableEntityUpdateMode.REPLACE), "204");
            Checks.equal(Checks.stored(old), Map.of("b", "new", "c", 3));
        });
        Checks.check("update-merge", () -> {
            TableEntity old = insertOld();
            Checks.equal(update(changed(old).addProperty("b", "new"), TableEntityUpdateMode.MERGE), "204");
            Checks.equal(Checks.stored(old), Map.of("a", 1, "b", "new", "c", 3));
        });
        Checks.check("update-missing", () -> {
            for (TableEntityUpdateMode mode : modes) {
                Checks.equal(update(Checks.newEntity(), mode), "404 ResourceNotFound");
            }
        });
        Checks.check("upsert-insert", () -> {
            for (TableEntityUpdateMode mode : modes) {
                TableEntity entity = changed(Checks.newEntity());
                Checks.equal(upsert(entity, mode), "204");
                Checks.equal(Checks.stored(entity), three);
            }
        });
        Checks.check("upsert-replace", () -> {
            TableEntity old = insertOld();
            Checks.equal(upsert(changed(old), TableEntityUpdateMode.REPLACE), "204");
            Checks.equal(Checks.stored(old), three);
        });
        Checks.check("upsert-merge", () -> {
            TableEntity old = insertOld();
            Checks.equal(upsert(changed(old), TableEntityUpdateMode.MERGE), "204");
            Checks.equal(Checks.stored(old), Map.of("a", 1, "b", "old", "c", 3));
        });
        registerConditions();
        registerDeletes();
    }

    private static void registerConditions() {
        Checks.check("update-stale", () -> {
            for (TableEntityUpdateMode mode : modes) {
                TableEntity stale = stale();
                String current = get(stale).getETag();
                Checks.equal(updateIfUnchanged(stale.addProperty("a", 2), mode), "412 UpdateConditionNotSatisfied");
                Checks.equal(get(stale).getETag(), current);
                Checks.equal(Checks.stored(stale), Map.of("a", 1, "b", "old", "c", 3));
            }
        });
        Checks.check("update-current", () -> {
            for (TableEntityUpdateMode mode : modes) {
                TableEntity current = get(insertOld());
                Checks.equal(updateIfUnchanged(current.addProperty("a", 2), mode), "204");
                Checks.equal(Checks.stored(current), Map.of("a", 2, "b", "old"));
                Checks.equal(get(current).getETag().equals(current.getETag()), false);
            }
        });
    }

    private static void registerDeletes() {
        Checks.check("delete-stale", () -> {
            TableEntity stale = stale();
            Checks.equal(delete(stale, true), "412 UpdateConditionNotSatisfied");
            Checks.equal(Checks.get(table, stale.getPartitionKey(), stale.getRowKey()), "200");
        });
        Checks.check("delete-current", () -> {
            TableEntity current = get(insertOld());
            Checks.equal(delete(current, true), "204");
            Checks.equal(Checks.get(table, current.getPartitionKey(), current.getRowKey()), "404 ResourceNotFound");
        });
        Checks.check("delete-any", () -> {
            TableEntity old = insertOld();
            Checks.equal(delete(old, false), "204");
            Checks.equal(Checks.get(table, old.getPartitionKey(), old.getRowKey()), "404 ResourceNotFound");
        });
        Checks.check("delete-missing", () -> Checks.equal(delete(Checks.newEntity(), false), "404"));
    }

    private static TableEntity insertOld() {
        TableEntity entity = Checks.newEntity().addProperty("a", 1).addProperty("b", "old");
        table.createEntity(entity);
        return entity;
    }

    /** An entity with the same keys, and with c = 3. */
    private static TableEntity changed(TableEntity entity) {
        return new TableEntity(entity.getPartitionKey(), entity.getRowKey()).addProperty("c", 3);
    }

    private static TableEntity get(TableEntity entity) {
        return table.getEntity(entity.getPartitionKey(), entity.getRowKey());
    }

    /** Returns an entity that was read before a write changed it, so that its ETag is stale. */
    private static TableEntity stale() {
        TableEntity stale = get(insertOld());
        upsert(changed(stale), TableEntityUpdateMode.MERGE);
        return stale;
    }

    private static String update(TableEntity entity, TableEntityUpdateMode mode) {
        return Checks.answerOf(() -> table.updateEntityWithResponse(entity, mode, false, null, null));
    }

    private static String updateIfUnchanged(TableEntity entity, TableEntityUpdateMode mode) {
        return Checks.answerOf(() -> table.updateEntityWithResponse(entity, mode, true, null, null));
    }

    private static String upsert(TableEntity entity, TableEntityUpdateMode mode) {
        return Checks.answerOf(() -> table.upsertEntityWithResponse(entity, mode, null, null));
    }

    private static String delete(TableEntity entity, boolean ifUnchanged) {
        return Checks.answerOf(() -> table.deleteEntityWithResponse(entity, ifUnchanged, null, null));
    }
}
