import com.azure.core.http.rest.PagedResponse;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.models.ListEntitiesOptions;
import com.azure.data.tables.models.TableEntity;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Lists of entities: pages, their order and their ends. */
final class Pages {
    private static final int ENTITY_COUNT = 2_500;
    private static final int INSERTS_IN_PARALLEL = 8;
    private static final List<String> PARTITIONS = List.of("", "10", "9", "A", "B", "_", "a", "b", "Ä", "漢");
    private static List<List<TableEntity>> many;

    private Pages() {
    }

    static void register() {
        Checks.check("page-size", () -> {
            for (List<TableEntity> page : manyPages()) Checks.equal(page.size() <= 1000, true);
        });
        Checks.check("page-complete", () -> {
            Set<Object> seen = new HashSet<>();
            for (List<TableEntity> page : manyPages()) {
                for (TableEntity found : page) {
                    int number = (Integer) found.getProperty("n");
                    Checks.equal(List.of(found.getPartitionKey(), found.getRowKey()), keyOf(number));
                    Checks.equal(seen.add(number), true);
                }
            }
            Checks.equal(seen.size(), ENTITY_COUNT);
        });
        Checks.check("page-order", () -> {
            List<TableEntity> listed = new ArrayList<>();
            manyPages().forEach(listed::addAll);
            for (int at = 1; at < listed.size(); at++) {
                TableEntity last = listed.get(at - 1);
                int order = last.getPartitionKey().compareTo(listed.get(at).getPartitionKey());
                if (order == 0) order = last.getRowKey().compareTo(listed.get(at).getRowKey());
                Checks.equal(order < 0, true);
            }
        });
        Checks.check("page-empty", () -> Checks.equal(pageLengths("javaEmpty", List.of(), null), List.of(0)));
        Checks.check("page-next-empty", () -> {
            var keys = List.of(List.of("", ""), List.of("", "a"), List.of("", "b"), List.of("p", ""), List.of("p", "a"));
            Checks.equal(pageLengths("javaEnds", keys, 1), List.of(1, 1, 1, 1, 1));
        });
        Checks.check("page-full", () -> {
            var keys = List.of(List.of("", ""), List.of("", "a"), List.of("", "b"), List.of("", "c"));
            Checks.equal(pageLengths("javaFull", keys, 2), List.of(2, 2));
        });
    }

    /**
     * The keys of entity n. The stride scatters the order of inserts. Row keys without leading zeros sort in another order than numbers.
     */
    private static List<String> keyOf(int number) {
        int scattered = number * 7919 % ENTITY_COUNT;
        return List.of(PARTITIONS.get(scattered % PARTITIONS.size()), String.valueOf(scattered));
    }

    private static List<List<TableEntity>> manyPages() throws Exception {
        if (many != null) return many;
        TableClient table = Checks.service.createTable("javaMany" + Checks.RUN);
        ExecutorService pool = Executors.newFixedThreadPool(INSERTS_IN_PARALLEL);
        List<Future<?>> inserts = new ArrayList<>();
        for (int number = 0; number < ENTITY_COUNT; number++) {
            List<String> key = keyOf(number);
            TableEntity entity = new TableEntity(key.get(0), key.get(1)).addProperty("n", number);
            inserts.add(pool.submit(() -> table.createEntity(entity)));
        }
        for (Future<?> insert : inserts) insert.get();
        pool.shutdown();
        many = pages(table, 1000);
        table.deleteTable();
        return many;
    }

    private static List<List<TableEntity>> pages(TableClient table, Integer pageSize) {
        List<List<TableEntity>> pages = new ArrayList<>();
        ListEntitiesOptions options = new ListEntitiesOptions().setTop(pageSize);
        for (PagedResponse<TableEntity> page : table.listEntities(options, null, null).iterableByPage()) {
            pages.add(page.getValue());
        }
        return pages;
    }

    private static List<Integer> pageLengths(String name, List<List<String>> keys, Integer pageSize) {
        TableClient table = Checks.service.createTable(name + Checks.RUN);
        for (List<String> key : keys) table.createEntity(new TableEntity(key.get(0), key.get(1)));
        List<Integer> lengths = new ArrayList<>();
        for (List<TableEntity> page : pages(table, pageSize)) lengths.add(page.size());
        table.deleteTable();
        return lengths;
    }
}
