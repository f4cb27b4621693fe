package tanzanite;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;

/** A release of the emulator: the address of its archives, and their checksums. The release workflow fills in the resource file. */
final class Release {
  /** A download that receives no data for this long is given up. */
  static volatile int stalledMs = 60_000;

  /** A limit that no archive of a release reaches. */
  static volatile long archiveBytesMax = 256L << 20;

  private static final Release CURRENT = read();

  final String version;
  /** The folder of the archives. It is null before the first release. */
  private final String url;
  /** The name and the SHA-256 of the archive of each platform. */
  private final Map<String, Object> files;

  Release(Map<String, Object> fields) {
    version = Json.string(fields.get("version"));
    url = Json.string(fields.get("url"));
    files = Json.object(fields.get("files"));
  }

  static Release current() {
    return CURRENT;
  }

  private static Release read() {
    try (InputStream file = Release.class.getResourceAsStream("releases.json")) {
      return new Release(Json.object(Json.parse(new String(file.readAllBytes(), StandardCharsets.UTF_8))));
    } catch (IOException failure) {
      throw new TanzaniteException("tanzanite: releases.json: " + failure.getMessage(), failure);
    }
  }

  /**
   * Returns the executable for this machine, and downloads it if necessary. TANZANITE_DOWNLOAD replaces the address of the release. The
   * checksum of the archive is verified. The executable gets its final name only when it is complete.
   */
  Path executable(Map<String, String> environment) {
    String platform = platformName();
    String given = environment.getOrDefault("TANZANITE_DOWNLOAD", "");
    String address = given.isEmpty() ? url : given;
    Map<String, Object> file = Json.object(files.get(platform));
    if (file.isEmpty() || address == null) {
      throw new TanzaniteException(String.format(
          "tanzanite: there is no executable: put tanzanite on the PATH, or let TANZANITE name it "
              + "(no release of version %s for %s is known to download)", version, platform));
    }
    String digest = Json.string(file.get("sha256"));
    String ending = Executable.isWindows() ? ".exe" : "";
    Path path = cacheFolder(environment).resolve(
        Path.of("tanzanite", "releases", "tanzanite-" + version + "-" + digest.substring(0, 16) + ending));
    if (Files.isRegularFile(path)) return path;
    String source = address.replaceFirst("/+$", "") + "/" + file.get("name");
    try {
      fetch(source, path, digest);
    } catch (IOException | IllegalArgumentException failure) {
      throw new TanzaniteException("tanzanite: download of " + source + ": " + messageOf(failure), failure);
    }
    return path;
  }

  private static String messageOf(Exception failure) {
    String message = failure.getMessage();
    return message == null || failure instanceof UnknownHostException ? failure.toString() : message;
  }

  /** Works on its own files and renames the complete one, so several processes may call it at the same time. */
  private static void fetch(String source, Path path, String digest) throws IOException {
    Files.createDirectories(path.getParent());
    Path archive = Files.createTempFile(path.getParent(), ".downloading-", "");
    Path program = Files.createTempFile(path.getParent(), ".unpacking-", "");
    try {
      String found = copy(source, archive);
      if (!found.equals(digest)) {
        throw new IOException("the SHA-256 is " + found + ", and not " + digest + ", as this package knows it");
      }
      try {
        Archive.unpack(archive, program, source.endsWith(".zip"));
      } catch (IOException damaged) {
        throw new IOException("the archive cannot be unpacked: " + messageOf(damaged), damaged);
      }
      if (!program.toFile().setExecutable(true)) throw new IOException(program + " cannot be made executable");
      try {
        Files.move(program, path, StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException failure) {
        // Windows does not replace a running program. If the file is there, another process has completed it.
        if (!Files.isRegularFile(path)) throw failure;
      }
    } finally {
      Files.deleteIfExists(archive);
      Files.deleteIfExists(program);
    }
  }

  /** Returns the SHA-256 of the bytes that it wrote. */
  private static String copy(String source, Path part) throws IOException {
    HttpURLConnection connection = open(source);
    long expected = -1;
    long received = 0;
    MessageDigest sum = sha256();
    try (OutputStream file = Files.newOutputStream(part)) {
      if (connection.getResponseCode() != 200) {
        throw new IOException("the response is " + connection.getResponseCode());
      }
      expected = connection.getContentLengthLong();
      byte[] bytes = new byte[65_536];
      InputStream body = connection.getInputStream();
      for (int count = body.read(bytes); count >= 0; count = body.read(bytes)) {
        file.write(bytes, 0, count);
        sum.update(bytes, 0, count);
        received += count;
        if (received > archiveBytesMax) throw new IOException("it is larger than " + archiveBytesMax + " bytes");
      }
      if (expected >= 0 && received < expected) throw new EOFException("it stopped after " + received + " bytes");
    } catch (SocketTimeoutException stalled) {
      throw new IOException("it stopped: nothing came for " + stalledMs + " ms", stalled);
    } finally {
      connection.disconnect();
    }
    return TanzaniteEmulator.hex(sum.digest());
  }

  private static HttpURLConnection open(String source) throws IOException {
    if (!source.matches("https?://.+")) throw new IOException("the address begins with neither http:// nor https://");
    HttpURLConnection connection = (HttpURLConnection) URI.create(source).toURL().openConnection();
    connection.setConnectTimeout(stalledMs);
    connection.setReadTimeout(stalledMs);
    return connection;
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException(missing);
    }
  }

  /** The cache folder. */
  private static Path cacheFolder(Map<String, String> environment) {
    String home = System.getProperty("user.home");
    if (Executable.isWindows()) {
      String local = environment.getOrDefault("LOCALAPPDATA", "");
      return local.isEmpty() ? Path.of(home, "AppData", "Local") : Path.of(local);
    }
    if (System.getProperty("os.name").startsWith("Mac")) return Path.of(home, "Library", "Caches");
    String cache = environment.getOrDefault("XDG_CACHE_HOME", "");
    return cache.startsWith("/") ? Path.of(cache) : Path.of(home, ".cache");
  }

  /** The name of this machine's platform in a release. */
  static String platformName() {
    String system = System.getProperty("os.name");
    String processor = System.getProperty("os.arch");
    String platform = Executable.isWindows() ? "win" : system.startsWith("Mac") ? "darwin" : "linux";
    return platform + "-" + (processor.equals("aarch64") ? "arm64" : processor.matches("amd64|x86_64") ? "x64" : processor);
  }
}
