import static java.util.stream.Collectors.toList;

import com.azure.core.http.rest.PagedResponse;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableServiceClientBuilder;
import com.azure.data.tables.models.ListTablesOptions;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableItem;
import java.util.ArrayList;
import java.util.List;

/** Tables, and requests that are refused because of their table or key. */
final class Tables {
    private Tables() {
    }

    static void register() {
        Checks.check("table-create", () -> {
            String name = "javaCreated" + Checks.RUN;
            Checks.equal(Checks.service.createTable(name).getTableName(), name);
            Checks.equal(names(1000).contains(name), true);
            Checks.service.deleteTable(name);
        });
        Checks.check("table-create-again", () -> {
            Checks.equal(Checks.answerOf(() -> Checks.table.createTableWithResponse(null, null)), "409 TableAlreadyExists");
        });
        Checks.check("table-list", () -> {
            List<String> created = new ArrayList<>();
            for (String letter : List.of("A", "B", "C")) created.add("javaList" + letter + Checks.RUN);
            created.forEach(Checks.service::createTable);
            List<String> listed = names(2);
            listed.retainAll(created);
            Checks.equal(listed, created);
            created.forEach(Checks.service::deleteTable);
        });
        Checks.check("table-delete", () -> {
            String name = "javaDeleted" + Checks.RUN;
            Checks.service.createTable(name);
            Checks.equal(Checks.answerOf(() -> Checks.service.deleteTableWithResponse(name, null, null)), "204");
            Checks.equal(names(1000).contains(name), false);
        });
        Checks.check("table-delete-missing", () -> {
            String name = "javaMissing" + Checks.RUN;
            Checks.equal(Checks.answerOf(() -> Checks.service.deleteTableWithResponse(name, null, null)), "404");
        });
        Checks.check("table-missing", () -> {
            TableClient missing = Checks.service.getTableClient("javaMissing" + Checks.RUN);
            TableEntity entity = Checks.newEntity();
            Checks.equal(Checks.answerOf(() -> missing.createEntityWithResponse(entity, null, null)), "404 TableNotFound");
        });
        Checks.check("wrong-key", () -> {
            String wrong = Checks.CONNECTION_STRING.replaceAll("AccountKey=[^;]+", "AccountKey=d3Jvbmcga2V5");
            TableClient stranger = new TableServiceClientBuilder().connectionString(wrong).buildClient()
                .getTableClient(Checks.table.getTableName());
            Checks.equal(Checks.get(stranger, "p", "r"), "403 AuthenticationFailed");
        });
    }

    private static List<String> names(int pageSize) {
        List<String> names = new ArrayList<>();
        ListTablesOptions options = new ListTablesOptions().setTop(pageSize);
        for (PagedResponse<TableItem> page : Checks.service.listTables(options, null, null).iterableByPage()) {
            Checks.equal(page.getValue().size() <= pageSize, true);
            names.addAll(page.getValue().stream().map(TableItem::getName).collect(toList()));
        }
        return names;
    }
}
