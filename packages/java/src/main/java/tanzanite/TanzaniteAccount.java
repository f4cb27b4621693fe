package tanzanite;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** An account of an emulator, in the forms that clients accept. No other test sees its data. */
public final class TanzaniteAccount implements AutoCloseable {
  /**
   * If an emulator accepts any account name, all its accounts have this key: the well-known key of development storage.
   */
  private static final String KEY =
      "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
  private static final List<String> SEVERITIES = List.of("note", "warning", "error");

  private final TanzaniteEmulator emulator;
  private final String name;
  private final List<String> faults = new CopyOnWriteArrayList<>();

  TanzaniteAccount(TanzaniteEmulator emulator, String name) {
    this.emulator = emulator;
    this.name = name;
  }

  /**
   * Returns the emulator of the account.
   *
   * @return the emulator
   */
  public TanzaniteEmulator emulator() {
    return emulator;
  }

  /**
   * Returns the name of the account.
   *
   * @return 24 characters
   */
  public String name() {
    return name;
  }

  /**
   * Returns the key of the account.
   *
   * @return base64
   */
  public String key() {
    return KEY;
  }

  /**
   * Returns the address of the account.
   *
   * @return such as {@code http://127.0.0.1:49152/testff…}
   */
  public String url() {
    return emulator.url() + "/" + name;
  }

  /**
   * Returns the connection string.
   *
   * @return the connection string for the Azure SDKs
   */
  public String connectionString() {
    String protocol = emulator.url().split(":", 2)[0];
    return String.format(
        "DefaultEndpointsProtocol=%s;AccountName=%s;AccountKey=%s;TableEndpoint=%s;", protocol, name, KEY, url());
  }

  /**
   * Returns the emulator's clock. It can be changed only in an emulator that is not shared.
   *
   * @return the clock
   */
  public Clock clock() {
    return emulator.clock();
  }

  /**
   * Fills tables from files (People.ndjson, People.csv, People.json) or folders of such files. This method replaces tables that
   * already exist. If it fails, no table has changed.
   *
   * @param paths files or folders
   * @throws TanzaniteException with a message that names file, line and reason
   */
  public void seed(String... paths) {
    List<String> words = new ArrayList<>(emulator.program());
    words.addAll(List.of("seed", "--url", emulator.url(), "--account", name, "--json", "--"));
    words.addAll(Arrays.asList(paths));
    emulator.seeding().acquireUninterruptibly();
    try {
      run(words);
    } catch (IOException failure) {
      throw new TanzaniteException("tanzanite: seed: " + failure.getMessage(), failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new TanzaniteException("tanzanite: seed: interrupted");
    } finally {
      emulator.seeding().release();
    }
  }

  private static void run(List<String> words) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(words).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    process.getOutputStream().close();
    String told = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    int code = process.waitFor();
    if (code == 0) return;
    String reason = told.isEmpty() ? "exit code " + code : told.replaceFirst("^tanzanite: ", "");
    throw new TanzaniteException("tanzanite: seed: " + reason);
  }

  /**
   * Saves the account under a name. An earlier snapshot of that name is replaced.
   *
   * @param snapshot the name
   */
  public void snapshot(String snapshot) {
    emulator.ask("PUT", "snapshots/" + encode(snapshot) + "?account=" + name, null);
  }

  /**
   * Brings the account back to the state that {@link #snapshot} saved.
   *
   * @param snapshot the name
   * @throws TanzaniteException with the code {@code SnapshotNotFound}
   */
  public void restore(String snapshot) {
    emulator.ask("POST", "snapshots/" + encode(snapshot) + "/restore?account=" + name, null);
  }

  /** Removes all tables of the account. */
  public void reset() {
    try {
      emulator.ask("POST", "reset", Map.of("account", name));
    } catch (TanzaniteException refusal) {
      // An account that no request has used does not exist yet, and is empty.
      if (!"AccountNotFound".equals(refusal.code())) throw refusal;
    }
  }

  /**
   * Makes requests of this account fail, as a rule says.
   *
   * @param rule JSON as in the emulator's docs/faults.md, such as
   *     <code>{"match": {"operation": "InsertEntity"}, "fault": {"kind": "timeout", "at": "afterCommit"}}</code>
   * @return the id of the rule, for {@link #removeFault}
   * @throws TanzaniteException with a message that says what is wrong
   */
  public String addFault(String rule) {
    try {
      Object parsed = Json.parse(rule);
      if (parsed instanceof Map) return addFault(Json.object(parsed));
    } catch (IllegalArgumentException notJson) {
      // The call below reports the fault.
    }
    String shown = rule.length() > 200 ? rule.substring(0, 200) + "…" : rule;
    throw new TanzaniteException(
        "tanzanite: a fault is one JSON object, such as {\"fault\":{\"kind\":\"delay\",\"ms\":100}}, and not " + Json.write(shown));
  }

  /**
   * Makes requests of this account fail, as a rule says.
   *
   * @param rule the rule as in {@link #addFault(String)}, but with a map in place of each JSON object
   * @return the id of the rule, for {@link #removeFault}
   * @throws TanzaniteException with a message that says what is wrong
   */
  public String addFault(Map<String, ?> rule) {
    Object given = rule.get("match");
    if (given != null && !(given instanceof Map)) {
      throw new TanzaniteException("tanzanite: \"match\" of a fault is an object");
    }
    Map<String, Object> match = new LinkedHashMap<>(Json.object(given));
    if (match.put("account", name) != null) {
      throw new TanzaniteException("tanzanite: \"match\" of a fault names no account: it is that of the test");
    }
    Map<String, Object> own = new LinkedHashMap<>(rule);
    own.put("match", match);
    String id = Json.string(emulator.ask("POST", "faults", own).get("id"));
    faults.add(id);
    return id;
  }

  /**
   * Removes a rule.
   *
   * @param id what {@link #addFault} returned
   * @throws TanzaniteException with the code {@code FaultNotFound}
   */
  public void removeFault(String id) {
    if (!faults.remove(id)) {
      throw new TanzaniteException("tanzanite: this account has no fault " + Json.write(id), "FaultNotFound");
    }
    emulator.ask("DELETE", "faults/" + encode(id), null);
  }

  /** Removes all rules that {@link #addFault} added. */
  public void clearFaults() {
    for (String id : faults) removeFault(id);
  }

  /**
   * Returns what Microsoft's design guides say about the requests of this account so far.
   *
   * @param least leaves out findings that are less severe: {@code error}, {@code warning} or {@code note}
   * @return the findings, the most severe first
   */
  public List<Finding> findings(String least) {
    int rank = SEVERITIES.indexOf(least);
    if (rank < 0) {
      throw new TanzaniteException("tanzanite: a severity is error, warning or note, and not " + Json.write(least));
    }
    List<Finding> found = new ArrayList<>();
    for (Object one : Json.list(emulator.ask("GET", "advisor", null).get("findings"))) {
      Finding finding = new Finding(Json.object(one));
      if (name.equals(finding.account()) && SEVERITIES.indexOf(finding.severity()) >= rank) found.add(finding);
    }
    return found;
  }

  /**
   * Returns the requests of this account that the emulator refused.
   *
   * @return the last twenty, in the order in which they came
   */
  public List<Refusal> refused() {
    List<Refusal> refused = new ArrayList<>();
    for (Object one : Json.list(emulator.ask("GET", "refusals?account=" + name, null).get("requests"))) {
      refused.add(new Refusal(Json.object(one)));
    }
    return refused;
  }

  /** Removes the faults and the data of the account. */
  @Override
  public void close() {
    if (emulator.isClosed()) return;
    clearFaults();
    reset();
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
