package pets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.azure.core.exception.HttpResponseException;
import com.azure.core.http.policy.FixedDelayOptions;
import com.azure.core.http.policy.RetryOptions;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableClientBuilder;
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.models.TableEntity;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import tanzanite.TanzaniteAccount;
import tanzanite.junit.Tanzanite;

@Tanzanite
class PetsTest {
  private static final String SEED = "src/test/resources/seed";
  private static final String LOST_RESPONSE =
      "{\"match\":{\"operation\":\"InsertEntity\"},\"when\":{\"first\":1},\"fault\":{\"kind\":\"timeout\",\"at\":\"afterCommit\"}}";

  @Test
  void aPetIsKept(TableServiceClient service) {
    TableClient pets = service.createTable("Pets");
    pets.createEntity(new TableEntity("dog", "rex"));
    assertEquals("rex", pets.getEntity("dog", "rex").getRowKey());
  }

  @Test
  void noOtherTestsPetsAreSeen(TableServiceClient service) {
    TableClient pets = service.getTableClient("Pets");
    assertThrows(HttpResponseException.class, () -> pets.getEntity("dog", "rex"));
  }

  @Test
  @Tanzanite(seed = SEED)
  void seededPetsAreThere(TableServiceClient service) {
    assertEquals(7, service.getTableClient("Pets").getEntity("dog", "tess").getProperty("age"));
  }

  /** The write is carried out, but its response is lost. A program that tries again finds its own entity in the table. */
  @Test
  @Tanzanite(seed = SEED, faults = LOST_RESPONSE)
  void anInsertWhoseResponseIsLostIsDone(TanzaniteAccount account) {
    TableClient pets = new TableClientBuilder()
        .connectionString(account.connectionString())
        .tableName("Pets")
        .retryOptions(new RetryOptions(new FixedDelayOptions(0, Duration.ofMillis(1))))
        .buildClient();
    assertThrows(HttpResponseException.class, () -> pets.createEntity(new TableEntity("dog", "luna")));
    assertEquals("luna", pets.getEntity("dog", "luna").getRowKey());
  }
}
