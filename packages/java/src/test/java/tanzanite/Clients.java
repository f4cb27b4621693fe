package tanzanite;

import com.azure.core.http.policy.FixedDelayOptions;
import com.azure.core.http.policy.RetryOptions;
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.TableServiceClientBuilder;
import com.azure.data.tables.models.TableEntity;
import java.time.Duration;

/** Code that tests of accounts share. */
public final class Clients {
  private Clients() {}

  /** The client does not retry, so that a test sees every response. */
  public static TableServiceClient of(TanzaniteAccount account) {
    return new TableServiceClientBuilder()
        .connectionString(account.connectionString())
        .retryOptions(new RetryOptions(new FixedDelayOptions(0, Duration.ofMillis(1))))
        .buildClient();
  }

  /** Kills the emulator's process, as the machine might. */
  public static void kill(TanzaniteEmulator emulator) throws InterruptedException {
    emulator.process().destroyForcibly().waitFor();
  }

  /** Counts the tables. */
  public static long tables(TableServiceClient service) {
    return service.listTables().stream().count();
  }

  /** Counts the entities. */
  public static long pets(TableServiceClient service) {
    return service.getTableClient("Pets").listEntities().stream().count();
  }

  public static TableEntity pet(String name) {
    return new TableEntity("dog", name);
  }
}
