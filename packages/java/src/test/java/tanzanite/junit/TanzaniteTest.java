package tanzanite.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.azure.core.exception.HttpResponseException;
import com.azure.data.tables.TableServiceAsyncClient;
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.models.TableServiceException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tanzanite.Clients;
import tanzanite.TanzaniteAccount;
import tanzanite.TanzaniteEmulator;

@Tanzanite
class TanzaniteTest {
  static final String SEED = "src/test/resources/seed";
  private static final Set<String> NAMES = ConcurrentHashMap.newKeySet();

  @RepeatedTest(200)
  @Execution(ExecutionMode.CONCURRENT)
  void givesEachOfTwoHundredParallelTestsAnAccount(TableServiceClient service, TanzaniteAccount account, RepetitionInfo at) {
    service.createTable("Pets");
    service.getTableClient("Pets").createEntity(Clients.pet("r" + at.getCurrentRepetition()));
    assertEquals(1, Clients.pets(service));
    assertTrue(NAMES.add(account.name()));
    assertSame(TanzaniteEmulator.shared(), account.emulator());
  }

  @Test
  void givesAllParametersOfATestOneAccount(
      TanzaniteAccount account, @Tanzanite String connectionString, TableServiceClient service, TableServiceAsyncClient async) {
    assertEquals(account.connectionString(), connectionString);
    for (String url : new String[] {service.getServiceEndpoint(), async.getServiceEndpoint()}) assertTrue(url.startsWith(account.url()), url);
  }

  @ParameterizedTest
  @ValueSource(strings = {"rex", "tess"})
  void stepsAsideForOtherParameters(String name, TableServiceClient service) {
    service.createTable("Pets");
    service.getTableClient("Pets").createEntity(Clients.pet(name));
  }

  @Test
  @Tanzanite(seed = SEED)
  void seeds(TableServiceClient service) {
    assertEquals(2, Clients.pets(service));
  }

  @Test
  void addsUpWhatParametersSay(@Tanzanite(seed = SEED) TableServiceClient service,
      @Tanzanite(faults = "{\"match\":{\"operation\":\"QueryTables\"},\"fault\":{\"kind\":\"error\",\"code\":\"InvalidInput\"}}") String also) {
    assertEquals(2, Clients.pets(service));
    assertThrows(HttpResponseException.class, () -> Clients.tables(service));
  }

  @Test
  @Tanzanite(own = true)
  void givesAnEmulatorOfTheTestsOwn(TanzaniteAccount account) {
    account.clock().advance(Duration.ofHours(1));
    assertFalse(account.emulator().isShared());
  }

  @Test
  @Tanzanite(flags = {"--table-delete-delay", "30"})
  void passesFlagsOn(TanzaniteAccount account) {
    TableServiceClient service = Clients.of(account);
    service.createTable("Pets");
    service.deleteTable("Pets");
    TableServiceException failure = assertThrows(TableServiceException.class, () -> service.createTable("Pets"));
    assertEquals("TableBeingDeleted", failure.getValue().getErrorCode().toString());
  }

  @Nested
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  @Tanzanite(seed = SEED)
  class Within {
    private TanzaniteAccount ofTheClass;
    private TanzaniteAccount before;

    @BeforeAll
    void prepare(TanzaniteAccount account) {
      ofTheClass = account;
    }

    @BeforeEach
    void remember(TanzaniteAccount account) {
      before = account;
    }

    @Test
    void sharesTheAccountWithBeforeEach(TanzaniteAccount account) {
      assertSame(before, account);
      assertNotEquals(ofTheClass.name(), account.name());
      assertEquals(2, Clients.pets(Clients.of(account)));
      assertEquals(2, Clients.pets(Clients.of(ofTheClass)));
    }
  }
}
