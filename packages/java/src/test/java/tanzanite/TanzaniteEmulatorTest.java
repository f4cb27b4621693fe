package tanzanite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TanzaniteEmulatorTest {
  @TempDir
  Path folder;

  @Test
  void isSharedByAllCallers() {
    assertEquals(TanzaniteEmulator.shared(), TanzaniteEmulator.shared());
  }

  @Test
  void isGoneOnceItIsClosed() {
    TanzaniteEmulator emulator = TanzaniteEmulator.start();
    TanzaniteAccount account = emulator.account();
    emulator.close();
    emulator.close();
    assertFalse(emulator.process().isAlive());
    assertEquals(0, emulator.process().exitValue());
    assertTrue(assertThrows(TanzaniteException.class, () -> account.snapshot("late")).getMessage().contains("is closed"));
  }

  @Test
  void namesAFlagThatDoesNotExist() {
    String message = assertThrows(TanzaniteException.class, () -> TanzaniteEmulator.start("--no-such-flag")).getMessage();
    assertTrue(message.startsWith("tanzanite: the emulator did not start: unknown flag --no-such-flag"), message);
  }

  @Test
  void namesAPortThatIsTaken() {
    String port = TanzaniteEmulator.shared().url().replaceFirst(".*:", "");
    String message = assertThrows(TanzaniteException.class, () -> TanzaniteEmulator.start("--tablePort", port)).getMessage();
    assertTrue(message.startsWith("tanzanite: the emulator did not start: ") && message.contains(port), message);
    assertFalse(message.contains("\n"), message);
  }

  @ParameterizedTest
  @DisabledOnOs(OS.WINDOWS)
  @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
    "echo '{\"url\":\"http://127.0.0.1:1\",\"version\":\"9.9.9\"}'; cat | is 9.9.9, and this package needs",
    "echo '{\"url\":\"http://127.0.0.1:1\"}'; cat | is an older one",
    "echo 'tanzanite: the data cannot be used.' >&2; exit 2 | did not start: the data cannot be used.",
    "echo 'Error: crash' >&2; echo '  at line 1' >&2; exit 1 | did not start: Error: crash",
    "exit 3 | a tanzanite ended with exit code 3",
    "exec >&- 2>&-; exec sleep 60 | a tanzanite closed its output",
    "printf '\\033[31mred\\n' >&2; exit 3 | did not start: \\u001b[31mred",
    "echo '{\"url\":3}'; echo '{\"url\":\"nonsense\"}'; exit 4 | ended with exit code 4",
  })
  void saysWhatIsWrongWithAnExecutable(String words, String reason) throws IOException {
    Map<String, String> environment = Map.of("TANZANITE", script("a tanzanite", words).toString());
    String message = assertThrows(TanzaniteException.class,
        () -> TanzaniteEmulator.start(environment, Release.current(), false)).getMessage();
    assertTrue(message.startsWith("tanzanite: ") && message.contains(reason) && !message.contains("\n"), message);
  }

  @Test
  void keepsNoLineWithoutAnEnd() throws IOException {
    Reader text = new StringReader("x".repeat(3_000_000) + "\nshort\n\nrest");
    assertEquals(Output.LINE_CHARS_MAX, Output.nextLine(text).length());
    assertEquals(List.of("short", "", "rest"), List.of(Output.nextLine(text), Output.nextLine(text), Output.nextLine(text)));
    assertNull(Output.nextLine(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"nowhere --flag", "/nowhere/tanzanite", "pom.xml", "\0"})
  void saysThatThereIsNoExecutable(String named) {
    Map<String, String> environment = Map.of("TANZANITE", named, "PATH", "");
    String message = assertThrows(TanzaniteException.class,
        () -> TanzaniteEmulator.start(environment, Release.current(), false)).getMessage();
    assertTrue(message.endsWith("names no executable"), message);
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void givesUpAnExecutableThatIsNeverReady() throws IOException {
    Map<String, String> environment = Map.of("TANZANITE", script("tanzanite", "exec cat").toString());
    TanzaniteEmulator.startMsMax = 50;
    try {
      String message = assertThrows(TanzaniteException.class,
          () -> TanzaniteEmulator.start(environment, Release.current(), false)).getMessage();
      assertTrue(message.endsWith("is not ready after 50 ms"), message);
    } finally {
      TanzaniteEmulator.startMsMax = 60_000;
    }
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void isFoundOnThePath() throws IOException {
    script("tanzanite", "exec '" + String.join("' '", Executable.find(System.getenv(), Release.current()).words) + "' \"$@\"");
    try (TanzaniteEmulator emulator = TanzaniteEmulator.start(onPath(), Release.current(), false)) {
      assertEquals(0, Clients.tables(Clients.of(emulator.account())));
    }
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void mayNotBeAnOldOneOfThePathWithoutARelease() throws IOException {
    script("tanzanite", "echo '{\"url\":\"http://127.0.0.1:1\",\"version\":\"0.0.1\"}'; exec cat");
    String message = assertThrows(TanzaniteException.class,
        () -> TanzaniteEmulator.start(onPath(), Release.current(), false)).getMessage();
    assertTrue(message.contains("is 0.0.1, and this package needs " + Release.current().version), message);
  }

  /** After a kill, only the end of its standard input tells the emulator to stop. Ctrl-C also sends it a signal. */
  @ParameterizedTest
  @DisabledOnOs(OS.WINDOWS)
  @ValueSource(strings = {"-KILL", "-INT", "-TERM"})
  void endsWithTheProcessThatStartedIt(String signal) throws Exception {
    Process program = new ProcessBuilder("setsid", System.getProperty("java.home") + "/bin/java",
        "-cp", System.getProperty("java.class.path"), HangingProgram.class.getName())
        .redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader lines = new BufferedReader(new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8));
    long pid = Long.parseLong(lines.readLine());
    ProcessHandle emulator = ProcessHandle.of(Long.parseLong(lines.readLine())).orElseThrow();
    String to = signal.equals("-INT") ? "-" + pid : String.valueOf(pid);
    assertEquals(0, new ProcessBuilder("kill", signal, "--", to).inheritIO().start().waitFor());
    emulator.onExit().get(60, TimeUnit.SECONDS);
    program.waitFor();
  }

  private Path script(String name, String words) throws IOException {
    Path path = folder.resolve(name);
    Files.writeString(path, "#!/bin/sh\n" + words + "\n");
    assertTrue(path.toFile().setExecutable(true));
    return path;
  }

  private Map<String, String> onPath() {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.remove("TANZANITE");
    environment.put("PATH", folder + ":" + System.getenv("PATH"));
    return environment;
  }
}
