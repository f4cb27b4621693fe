package tanzanite;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Reads the output of an emulator: the ready line, and on standard error the reason for its end. */
final class Output {
  /** Of a longer line, only this many characters are kept. */
  static final int LINE_CHARS_MAX = 1 << 20;

  /** The line that says that the emulator is ready. It is null if standard output ends first. */
  final CompletableFuture<Map<String, Object>> ready = new CompletableFuture<>();

  private final Thread errorReader;
  private volatile String lastError = "";

  Output(Process process) {
    read(process.getInputStream(), this::takeReady, () -> ready.complete(null));
    errorReader = read(process.getErrorStream(), this::takeError, () -> {});
  }

  private static Thread read(InputStream stream, Consumer<String> take, Runnable whenEnded) {
    Thread reader = new Thread(() -> {
      try (Reader text = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
        for (String line = nextLine(text); line != null; line = nextLine(text)) take.accept(line);
      } catch (IOException ended) {
        // The process has ended.
      }
      whenEnded.run();
    }, "tanzanite output");
    reader.setDaemon(true);
    reader.start();
    return reader;
  }

  /** Returns null at the end of the text. */
  static String nextLine(Reader text) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int unit = text.read(); unit != '\n'; unit = text.read()) {
      if (unit < 0) return line.length() == 0 ? null : line.toString();
      if (line.length() < LINE_CHARS_MAX) line.append((char) unit);
    }
    return line.toString();
  }

  private void takeReady(String line) {
    if (ready.isDone()) return;
    try {
      Map<String, Object> fields = Json.object(Json.parse(line));
      if (String.valueOf(fields.get("url")).startsWith("http")) ready.complete(fields);
    } catch (IllegalArgumentException notJson) {
      // This line is not the ready line.
    }
  }

  /** The last line gives the reason. After a crash, which prints a stack, the first line says more. */
  private void takeError(String line) {
    String text = line.strip();
    if (!text.isEmpty() && (lastError.isEmpty() || text.startsWith("tanzanite: "))) lastError = Refusal.escapeControls(text);
  }

  /** The emulator's own reason for its end, to be added to the end of a sentence. */
  String lastWords() {
    try {
      errorReader.join(1_000);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    return lastError.isEmpty() ? "" : ": " + lastError.replaceFirst("^tanzanite: ", "");
  }
}
