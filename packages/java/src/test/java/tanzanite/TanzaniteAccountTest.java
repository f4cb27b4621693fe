package tanzanite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.azure.core.exception.HttpResponseException;
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.models.ListEntitiesOptions;
import com.azure.data.tables.models.TableServiceException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TanzaniteAccountTest {
  private static final String SEED = "src/test/resources/seed";
  private static final String LOST_INSERT =
      "{\"match\":{\"operation\":\"InsertEntity\"},\"when\":{\"first\":1},\"fault\":{\"kind\":\"timeout\",\"at\":\"afterCommit\"}}";

  private final TanzaniteAccount account = TanzaniteEmulator.shared().account();
  private final TanzaniteAccount other = TanzaniteEmulator.shared().account();
  private final TableServiceClient service = Clients.of(account);

  @Test
  void seesNoOtherAccountsData() {
    service.createTable("Pets");
    assertEquals(0, Clients.tables(Clients.of(other)));
  }

  @Test
  void isFilledBySeeds() {
    account.seed(SEED);
    assertEquals(2, Clients.pets(service));
    assertEquals(0, Clients.tables(Clients.of(other)));
  }

  @Test
  void saysWhatIsWrongWithASeed() {
    String message = assertThrows(TanzaniteException.class, () -> account.seed("missing")).getMessage();
    assertTrue(message.matches("tanzanite: seed: missing.*"), message);
  }

  @Test
  void isBroughtBackFromASnapshot() {
    account.seed(SEED);
    account.snapshot("before + /?");
    account.reset();
    assertEquals(0, Clients.tables(service));
    account.restore("before + /?");
    assertEquals(2, Clients.pets(service));
    assertEquals("SnapshotNotFound", assertThrows(TanzaniteException.class, () -> account.restore("never")).code());
  }

  @Test
  void isStruckByItsFaultsAlone() {
    account.addFault(LOST_INSERT);
    for (TableServiceClient one : List.of(service, Clients.of(other))) one.createTable("Pets");
    Clients.of(other).getTableClient("Pets").createEntity(Clients.pet("rex"));
    TableServiceException failure = assertThrows(
        TableServiceException.class, () -> service.getTableClient("Pets").createEntity(Clients.pet("rex")));
    assertEquals(500, failure.getResponse().getStatusCode());
    assertEquals(1, Clients.pets(service));
  }

  @Test
  void losesFaultsThatAreRemoved() {
    String id = account.addFault(Map.of("fault", Map.of("kind", "error", "code", "ServerBusy")));
    assertThrows(TableServiceException.class, () -> service.createTable("Pets"));
    account.removeFault(id);
    service.createTable("Pets");
    assertEquals("FaultNotFound", assertThrows(TanzaniteException.class, () -> account.removeFault(id)).code());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
    "{\"fault\":{\"kind\":\"eror\"}} | kind",
    "busy | one JSON object",
    "[] | one JSON object",
    "{} {} | one JSON object",
    "{\"match\":\"*\",\"fault\":{\"kind\":\"hang\"}} | match",
    "{\"match\":{\"account\":\"*\"},\"fault\":{\"kind\":\"hang\"}} | names no account",
    "{\"fault\":{\"kind\":\"delay\",\"ms\":123456789012345678901234567890}} | ms",
  })
  void namesWhatDoesNotFitInAFault(String rule, String words) {
    String message = assertThrows(TanzaniteException.class, () -> account.addFault(rule)).getMessage();
    assertTrue(message.startsWith("tanzanite: ") && message.contains(words) && !message.contains("\n"), message);
    account.clearFaults();
  }

  @Test
  void listsWhatWasRefused() {
    account.addFault(LOST_INSERT);
    service.createTable("Pets");
    assertThrows(TableServiceException.class, () -> service.createTable("Pets"));
    assertThrows(TableServiceException.class,
        () -> service.getTableClient("Pets").createEntity(Clients.pet("the \"king\"")));
    assertThrows(HttpResponseException.class, () -> Clients.pets(Clients.of(other)));
    List<String> lines = account.refused().stream().map(Refusal::toString).collect(Collectors.toList());
    assertEquals(2, lines.size(), lines.toString());
    assertTrue(lines.get(0).startsWith("409 TableAlreadyExists CreateTable Pets"), lines.get(0));
    assertTrue(lines.get(1).startsWith("500 OperationTimedOut InsertEntity Pets \"dog\" \"the \\\"king\\\"\" (staged by the fault"), lines.get(1));
    assertEquals("TableNotFound", other.refused().get(0).code());
  }

  @Test
  void aRefusalHoldsNothingThatATerminalInterprets() {
    Map<String, Object> fields = Map.of("status", BigDecimal.valueOf(400), "operation", "QueryEntities",
        "table", "pe\033[31mts", "why", List.of("a\nb", "c\u202ed é"));
    assertEquals("400 QueryEntities pe\\u001b[31mts: a\\u000ab c\\u202ed é", new Refusal(fields).toString());
  }

  @Test
  void hasFindingsOfItsOwn() {
    service.createTable("Pets");
    String filter = IntStream.range(0, 20).mapToObj(at -> "PartitionKey eq '" + at + "'").collect(Collectors.joining(" or "));
    for (int count = 0; count < 20; count++) {
      service.getTableClient("Pets").listEntities(new ListEntitiesOptions().setFilter(filter), null, null).stream().count();
    }
    List<Finding> found = account.findings("note");
    assertTrue(found.stream().anyMatch(one -> "Pets".equals(one.table()) && !one.advice().isEmpty()), found.toString());
    assertTrue(other.findings("note").isEmpty());
    assertThrows(TanzaniteException.class, () -> account.findings("fatal"));
  }

  @Test
  void isEmptyWithoutFaultsOnceItIsClosed() {
    account.seed(SEED);
    account.addFault(LOST_INSERT);
    account.close();
    assertEquals(0, Clients.tables(service));
    service.createTable("Pets");
    service.getTableClient("Pets").createEntity(Clients.pet("rex"));
  }

  @Test
  void turnsTheClockOfAnEmulatorThatIsNotShared() {
    assertThrows(TanzaniteException.class, () -> account.clock().freeze());
    Instant then = Instant.parse("2030-01-31T12:00:00Z");
    try (TanzaniteEmulator own = TanzaniteEmulator.start()) {
      Clock clock = own.account().clock();
      clock.freeze();
      clock.set(then);
      clock.advance(Duration.ofMinutes(90));
      assertEquals(then.plus(Duration.ofMinutes(90)), clock.now());
      clock.resume();
      clock.release();
      assertThrows(TanzaniteException.class, () -> clock.advance(Duration.ofSeconds(-1)));
    }
  }
}
