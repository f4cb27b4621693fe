package tanzanite.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import com.azure.core.exception.HttpResponseException;
import com.azure.data.tables.TableServiceClient;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import tanzanite.Clients;
import tanzanite.TanzaniteAccount;
import tanzanite.TanzaniteEmulator;

class TanzaniteExtensionTest {
  private static Throwable failureOf(Class<?> tests) {
    List<Event> failed = EngineTestKit.engine("junit-jupiter")
        .configurationParameter("junit.jupiter.conditions.deactivate", "*DisabledCondition")
        .selectors(selectClass(tests)).execute().testEvents().failed().stream().collect(Collectors.toList());
    assertEquals(1, failed.size());
    return failed.get(0).getRequiredPayload(TestExecutionResult.class).getThrowable().orElseThrow();
  }

  /** Only a test below runs this class. */
  @Disabled("fails on purpose")
  static class Failing {
    @Test
    void fails(@Tanzanite TableServiceClient service) {
      Clients.pets(service);
    }
  }

  @Test
  void addsWhatWasRefusedToTheFailure() {
    Throwable failure = failureOf(Failing.class);
    assertTrue(failure instanceof HttpResponseException);
    String told = failure.getSuppressed()[0].toString();
    assertTrue(told.startsWith("tanzanite refused requests of this test:\n  404 TableNotFound QueryEntities Pets"), told);
  }

  /** Only a test below runs this class. */
  @Disabled("fails on purpose")
  @Tanzanite(faults = "busy")
  static class Wrong {
    @Test
    void fails(TanzaniteAccount account) {}
  }

  @Test
  void failsATestWhoseFaultDoesNotFit() {
    String message = failureOf(Wrong.class).getMessage();
    assertTrue(message.contains("tanzanite: a fault is one JSON object"), message);
  }

  /** Only a test below runs this class. */
  @Disabled("fails on purpose")
  static class WithoutParameter {
    @Test
    @Tanzanite(seed = "missing")
    void fails() {}
  }

  @Test
  void failsATestWhoseSeedIsMissingThoughNoParameterAsksForIt() {
    String message = failureOf(WithoutParameter.class).getMessage();
    assertTrue(message.startsWith("tanzanite: seed: missing"), message);
  }

  /** Only a test below runs this class. */
  @Disabled("fails on purpose")
  static class Killed {
    @Test
    @Tanzanite(own = true)
    void fails(TanzaniteAccount account) throws Exception {
      Clients.kill(account.emulator());
    }
  }

  @Test
  void failsATestWhoseEmulatorEndedByItself() {
    String message = failureOf(Killed.class).getMessage();
    assertTrue(message.startsWith("tanzanite: the emulator has ended, with all data"), message);
  }

  @Test
  @Tanzanite(own = true)
  void takesAnEmulatorThatTheTestCloses(TanzaniteAccount account) {
    account.addFault("{\"fault\":{\"kind\":\"delay\",\"ms\":1}}");
    account.emulator().close();
  }

  /** Only a test below runs this class. */
  @Disabled("fails on purpose")
  @Tanzanite(own = true)
  static class FailingAlone {
    static TanzaniteEmulator last;

    @Test
    void fails(TanzaniteAccount account) {
      last = account.emulator();
      throw new AssertionError("on purpose");
    }
  }

  @Test
  void stopsTheEmulatorOfATestThatFailed() {
    assertEquals(0, failureOf(FailingAlone.class).getSuppressed().length);
    assertFalse(isAlive(FailingAlone.last));
  }

  private static boolean isAlive(TanzaniteEmulator emulator) {
    try {
      emulator.clock().now();
      return true;
    } catch (RuntimeException closed) {
      return false;
    }
  }
}
