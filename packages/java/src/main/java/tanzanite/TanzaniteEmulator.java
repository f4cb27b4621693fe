package tanzanite;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * An emulator in a child process, on a free port and with its data in memory. The emulator stops when it is closed, or when this
 * process ends, even if {@code kill -9} ends this process.
 *
 * <pre>{@code
 * try (TanzaniteEmulator emulator = TanzaniteEmulator.start()) {
 *   String connectionString = emulator.account().connectionString();
 * }
 * }</pre>
 */
public final class TanzaniteEmulator implements AutoCloseable {
  private static final List<String> START = List.of(
      "start", "--tablePort", "0", "--inMemoryPersistence", "--accounts", "any",
      "--log-format", "json", "--log-level", "error", "--until-stdin-ends");
  private static final int STOP_SECONDS_MAX = 10;
  private static final SecureRandom RANDOM = new SecureRandom();
  static volatile long startMsMax = 60_000;

  private final List<String> program;
  private final Process process;
  private final Output output;
  private final boolean isShared;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).proxy(HttpClient.Builder.NO_PROXY).build();
  /** Keeps the loads at a time below sixteen, the most that the emulator accepts. */
  private final Semaphore seeding = new Semaphore(8);
  private String url = "";
  private volatile boolean isClosed;

  private TanzaniteEmulator(List<String> program, Process process, boolean isShared) {
    this.program = program;
    this.process = process;
    this.isShared = isShared;
    this.output = new Output(process);
  }

  /**
   * Starts an emulator and returns when it accepts requests. Settings from environment variables and {@code tanzanite.json} apply,
   * except those of the address, the data and the log.
   *
   * @param flags further flags of {@code tanzanite start}, such as {@code "--throttle", "enforce"}
   * @return the emulator, which the caller closes
   * @throws TanzaniteException if there is no executable, if it has another version, or if it does not start
   */
  public static TanzaniteEmulator start(String... flags) {
    return start(System.getenv(), Release.current(), false, flags);
  }

  /** If the executable on the PATH has another version, the release is used instead, if it exists. */
  static TanzaniteEmulator start(Map<String, String> environment, Release release, boolean isShared, String... flags) {
    Executable found = Executable.find(environment, release);
    try {
      return start(found.words, isShared, flags);
    } catch (OtherVersion failure) {
      if (found.isNamed) throw failure.shown();
      Executable released;
      try {
        released = Executable.released(environment, release);
      } catch (TanzaniteException missing) {
        throw failure.shown();
      }
      return start(released.words, isShared, flags);
    }
  }

  /** The executable does not have the version that this package needs. */
  private static final class OtherVersion extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OtherVersion(String message) {
      super(message);
    }

    TanzaniteException shown() {
      return new TanzaniteException(getMessage());
    }
  }

  private static TanzaniteEmulator start(List<String> program, boolean isShared, String... flags) {
    List<String> words = new ArrayList<>(program);
    words.addAll(START);
    words.addAll(Arrays.asList(flags));
    Process process;
    try {
      process = new ProcessBuilder(words).start();
    } catch (IOException failure) {
      throw new TanzaniteException("tanzanite: " + failure.getMessage(), failure);
    }
    TanzaniteEmulator emulator = new TanzaniteEmulator(program, process, isShared);
    try {
      emulator.awaitReady();
      return emulator;
    } catch (RuntimeException failure) {
      process.destroyForcibly();
      throw failure;
    }
  }

  private void awaitReady() {
    String name = String.join(" ", program);
    try {
      Map<String, Object> line = output.ready.get(startMsMax, TimeUnit.MILLISECONDS);
      if (line == null) throw new TanzaniteException("tanzanite: the emulator did not start" + reasonOfEnd(name));
      String version = Json.string(line.get("version"));
      if (!Release.current().version.equals(version)) {
        throw new OtherVersion(String.format(
            "tanzanite: the version of %s is %s, and this package needs %s: let TANZANITE name that one",
            name, version == null ? "an older one" : version, Release.current().version));
      }
      url = Json.string(line.get("url"));
      // From this request on, the emulator keeps refused requests.
      account().refused();
    } catch (TimeoutException late) {
      throw new TanzaniteException("tanzanite: " + name + " is not ready after " + startMsMax + " ms");
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new TanzaniteException("tanzanite: interrupted while the emulator started");
    } catch (ExecutionException failure) {
      throw new TanzaniteException("tanzanite: " + failure.getCause().getMessage(), failure);
    }
  }

  private String reasonOfEnd(String name) throws InterruptedException {
    String words = output.lastWords();
    if (!words.isEmpty()) return words;
    boolean hasEnded = process.waitFor(1, TimeUnit.SECONDS);
    return ": " + name + (hasEnded ? " ended with exit code " + process.exitValue() : " closed its output");
  }

  /**
   * Returns the emulator that all callers in this process share. The first call starts the emulator, and the emulator stops when this
   * process ends. It is never restarted, because tests would then lose their data without notice.
   *
   * @return the emulator, which need not be closed
   * @throws TanzaniteException if it does not start, or has ended
   */
  public static TanzaniteEmulator shared() {
    return Shared.get();
  }

  /** The emulator of this process, or the reason why it could not start. */
  private static final class Shared {
    private static TanzaniteEmulator emulator;
    private static TanzaniteException failure;

    static synchronized TanzaniteEmulator get() {
      if (failure != null) throw new TanzaniteException(failure.getMessage(), failure);
      try {
        if (emulator == null) emulator = start(System.getenv(), Release.current(), true);
      } catch (TanzaniteException started) {
        failure = started;
        throw started;
      }
      if (emulator.process.isAlive()) return emulator;
      throw new TanzaniteException("tanzanite: the emulator of this process has ended" + emulator.output.lastWords());
    }
  }

  /**
   * Returns the address without an account.
   *
   * @return such as {@code http://127.0.0.1:49152}
   */
  public String url() {
    return url;
  }

  /**
   * Returns a new account, which no one else uses. No request is needed to create it.
   *
   * @return the account, which may be closed to remove its data and its faults
   */
  public TanzaniteAccount account() {
    byte[] random = new byte[10];
    RANDOM.nextBytes(random);
    String name = "test" + hex(random);
    return new TanzaniteAccount(this, name);
  }

  /**
   * Returns the emulator's clock, which all accounts of the emulator share.
   *
   * @return the clock
   */
  public Clock clock() {
    return new Clock(this);
  }

  /** Stops the emulator gracefully and waits until it has ended. May be called again. */
  @Override
  public void close() {
    isClosed = true;
    try {
      process.getOutputStream().close();
    } catch (IOException ended) {
      // The process has ended.
    }
    try {
      if (process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) return;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
    throw new TanzaniteException("tanzanite: the emulator did not stop and was killed");
  }

  /**
   * Returns whether other tests of this process use the emulator too.
   *
   * @return true for the emulator that {@link #shared} returns
   */
  public boolean isShared() {
    return isShared;
  }

  /** Returns false if the emulator has ended without being closed. */
  boolean isClosed() {
    return isClosed;
  }

  Process process() {
    return process;
  }

  List<String> program() {
    return program;
  }

  Semaphore seeding() {
    return seeding;
  }

  static String hex(byte[] bytes) {
    StringBuilder digits = new StringBuilder();
    for (byte one : bytes) digits.append(String.format("%02x", one));
    return digits.toString();
  }

  /**
   * Sends a request to the emulator's own API. If the body is null, the request has no body. Throws TanzaniteException if the API
   * refuses the request.
   */
  Map<String, Object> ask(String method, String path, Object body) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + "/_emulator/" + path))
        .timeout(Duration.ofMinutes(5))
        .method(method, body == null
            ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(Json.write(body)));
    if (body != null) request.header("Content-Type", "application/json");
    String token = System.getenv("TANZANITE_CONTROL_TOKEN");
    if (token != null && !token.isEmpty()) request.header("Authorization", "Bearer " + token);
    HttpResponse<String> response;
    try {
      response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new TanzaniteException("tanzanite: interrupted during " + method + " " + path);
    } catch (IOException failure) {
      if (isClosed) throw new TanzaniteException("tanzanite: the emulator is closed");
      if (!process.isAlive()) throw new TanzaniteException("tanzanite: the emulator has ended, with all data" + output.lastWords());
      throw new TanzaniteException("tanzanite: " + method + " " + path + ": " + failure, failure);
    }
    Map<String, Object> answer = response.body().isEmpty() ? Map.of() : parse(response.body());
    if (response.statusCode() < 400) return answer;
    Map<String, Object> error = Json.object(answer.get("error"));
    if (error.isEmpty()) {
      throw new TanzaniteException("tanzanite: " + response.statusCode() + " to " + method + " " + path);
    }
    throw new TanzaniteException("tanzanite: " + error.get("message"), Json.string(error.get("code")));
  }

  private static Map<String, Object> parse(String text) {
    try {
      return Json.object(Json.parse(text));
    } catch (IllegalArgumentException notJson) {
      return Map.of();
    }
  }
}
