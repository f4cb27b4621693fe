// Testcontainers for Java: org.testcontainers:testcontainers, com.azure:azure-data-tables and
// org.junit.jupiter:junit-jupiter on the class path of the tests.

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableServiceClientBuilder;
import com.azure.data.tables.models.TableEntity;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

class TablesTest {
    private static final DockerImageName IMAGE = DockerImageName.parse("tanzanite/tanzanite");
    private static final int PORT = 10002;
    private static final String ACCOUNT = "devstoreaccount1";
    private static final String KEY =
            "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

    private static final GenericContainer<?> tables = new GenericContainer<>(IMAGE)
            .withCommand("--inMemoryPersistence", "--silent")
            .withExposedPorts(PORT)
            .waitingFor(Wait.forHttp("/_emulator/ready").forPort(PORT).forStatusCode(200));

    @BeforeAll
    static void start() {
        tables.start();
    }

    @AfterAll
    static void stop() {
        tables.stop();
    }

    private static String connectionString() {
        String endpoint = "http://" + tables.getHost() + ":" + tables.getMappedPort(PORT) + "/" + ACCOUNT;
        return "DefaultEndpointsProtocol=http;AccountName=" + ACCOUNT + ";AccountKey=" + KEY
                + ";TableEndpoint=" + endpoint + ";";
    }

    @Test
    void anEntityComesBack() {
        TableClient pets = new TableServiceClientBuilder()
                .connectionString(connectionString())
                .buildClient()
                .createTable("pets");
        pets.createEntity(new TableEntity("dog", "rex").addProperty("age", 3));
        assertEquals(3, pets.getEntity("dog", "rex").getProperty("age"));
    }
}
