package tanzanite;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The command that runs the emulator. */
final class Executable {
  /** The command with its arguments. */
  final List<String> words;
  /** Whether the user named the command. If so, no other is tried. */
  final boolean isNamed;

  private Executable(List<String> words, boolean isNamed) {
    this.words = words;
    this.isNamed = isNamed;
  }

  /** Uses the variable TANZANITE, or else looks on the PATH, or else downloads the release once. */
  static Executable find(Map<String, String> environment, Release release) {
    String named = environment.getOrDefault("TANZANITE", "").strip();
    if (!named.isEmpty()) return new Executable(named(named, environment), true);
    Path found = onPath("tanzanite", environment);
    if (found != null) return new Executable(List.of(found.toString()), false);
    return released(environment, release);
  }

  static Executable released(Map<String, String> environment, Release release) {
    return new Executable(List.of(release.executable(environment).toString()), true);
  }

  /** Accepts a path, which may contain spaces, or a command with its arguments. Runs a JavaScript program with Node. */
  private static List<String> named(String named, Map<String, String> environment) {
    List<String> words = new ArrayList<>(isFile(named) ? List.of(named) : Arrays.asList(named.split("\\s+")));
    if (words.get(0).matches(".*[.][cm]?js")) words.add(0, "node");
    Path found = isFile(words.get(0)) ? Path.of(words.get(0)) : onPath(words.get(0), environment);
    if (found == null || !Files.isExecutable(found)) {
      throw new TanzaniteException("tanzanite: TANZANITE=" + named + " names no executable");
    }
    words.set(0, found.toAbsolutePath().toString());
    return words;
  }

  private static Path onPath(String name, Map<String, String> environment) {
    List<String> endings = isWindows() ? List.of(".exe", ".cmd", ".bat", "") : List.of("");
    for (String folder : pathOf(environment).split(File.pathSeparator)) {
      for (String ending : endings) {
        String path = folder + File.separator + name + ending;
        if (!folder.isEmpty() && isFile(path) && Files.isExecutable(Path.of(path))) return Path.of(path);
      }
    }
    return null;
  }

  /** The variable PATH. On Windows its name may be written in any case. */
  private static String pathOf(Map<String, String> environment) {
    for (Map.Entry<String, String> variable : environment.entrySet()) {
      if (variable.getKey().equalsIgnoreCase("PATH")) return variable.getValue();
    }
    return "";
  }

  private static boolean isFile(String path) {
    try {
      return Files.isRegularFile(Path.of(path));
    } catch (InvalidPathException noPath) {
      return false;
    }
  }

  static boolean isWindows() {
    return System.getProperty("os.name").startsWith("Windows");
  }
}
