import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableClientBuilder;
import com.azure.data.tables.models.ListEntitiesOptions;
import com.azure.data.tables.models.TableEntity;

/** A test suite without a framework, which fails with an exception. SUITE chooses what it does: pass, fail, findings or hang. */
class Suite {
    public static void main(String[] arguments) throws Exception {
        String mode = System.getenv("SUITE");
        TableClient table = new TableClientBuilder()
            .connectionString(System.getenv("MY_TABLES")).tableName("Suites").buildClient();
        table.createTable();
        table.createEntity(new TableEntity("a", "1").addProperty("age", 3));
        Object age = table.getEntity("a", "1").getProperty("age");
        if (!age.equals(mode.equals("fail") ? 4 : 3)) throw new AssertionError("read " + age);
        if (mode.equals("findings")) {
            ListEntitiesOptions options = new ListEntitiesOptions().setFilter("RowKey eq '1' or RowKey eq '2'");
            if (table.listEntities(options, null, null).stream().count() != 1) throw new AssertionError("one entity");
        }
        if (mode.equals("hang")) {
            System.out.println("hanging");
            Thread.sleep(600_000);
        }
        System.exit(0);
    }
}
