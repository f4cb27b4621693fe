package tanzanite;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/** Reads what an emulator prints: the ready line, the log of refused requests, and on standard error why it ends. */
final class Output {
  /** Of an account: more are not read by anybody. */
  private static final int REFUSED_MAX = 200;
  /** The rest of a longer line is dropped. */
  static final int LINE_CHARS_MAX = 1 << 20;

  /** The line that says that the emulator is ready; completes with null if standard output ends before. */
  final CompletableFuture<Map<String, Object>> ready = new CompletableFuture<>();

  private final Map<String, List<Refusal>> refused = new ConcurrentHashMap<>();
  private final Map<String, CountDownLatch> marks = new ConcurrentHashMap<>();
  private final Thread errorReader;
  private volatile String lastError = "";

  Output(Process process) {
    read(process.getInputStream(), this::takeLog, () -> {
      ready.complete(null);
      marks.values().forEach(CountDownLatch::countDown);
    });
    errorReader = read(process.getErrorStream(), this::takeError, () -> {});
  }

  private static Thread read(InputStream stream, Consumer<String> take, Runnable whenEnded) {
    Thread reader = new Thread(() -> {
      try (Reader text = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
        for (String line = nextLine(text); line != null; line = nextLine(text)) take.accept(line);
      } catch (IOException ended) {
        // The process is gone.
      }
      whenEnded.run();
    }, "tanzanite output");
    reader.setDaemon(true);
    reader.start();
    return reader;
  }

  /** Null at the end. */
  static String nextLine(Reader text) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int unit = text.read(); unit != '\n'; unit = text.read()) {
      if (unit < 0) return line.length() == 0 ? null : line.toString();
      if (line.length() < LINE_CHARS_MAX) line.append((char) unit);
    }
    return line.toString();
  }

  private void takeLog(String line) {
    for (Map.Entry<String, CountDownLatch> mark : marks.entrySet()) {
      if (line.contains(mark.getKey())) {
        mark.getValue().countDown();
        return;
      }
    }
    Map<String, Object> fields;
    try {
      fields = Json.object(Json.parse(line));
    } catch (IllegalArgumentException notJson) {
      return;
    }
    if (!ready.isDone()) {
      if (String.valueOf(fields.get("url")).startsWith("http")) ready.complete(fields);
      return;
    }
    List<Refusal> list = refused.get(String.valueOf(fields.get("account")));
    if (list == null || fields.get("operation") == null) return;
    synchronized (list) {
      if (list.size() < REFUSED_MAX) list.add(new Refusal(fields));
    }
  }

  /** The line of the reason comes last; of a crash, which has a stack, the first says more. */
  private void takeError(String line) {
    String text = line.strip();
    if (!text.isEmpty() && (lastError.isEmpty() || text.startsWith("tanzanite: "))) lastError = Refusal.escapeControls(text);
  }

  /** What the emulator said of its end, as the end of a sentence. */
  String lastWords() {
    try {
      errorReader.join(1_000);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    return lastError.isEmpty() ? "" : ": " + lastError.replaceFirst("^tanzanite: ", "");
  }

  void watch(String account) {
    refused.put(account, new ArrayList<>());
  }

  void forget(String account) {
    refused.remove(account);
  }

  List<Refusal> refusedOf(String account) {
    List<Refusal> list = refused.getOrDefault(account, List.of());
    synchronized (list) {
      return new ArrayList<>(list);
    }
  }

  /** Opens when a line with the text has been read. */
  CountDownLatch mark(String text) {
    return marks.computeIfAbsent(text, name -> new CountDownLatch(1));
  }

  void forgetMark(String text) {
    marks.remove(text);
  }
}
