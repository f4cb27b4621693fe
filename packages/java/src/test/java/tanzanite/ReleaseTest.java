package tanzanite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReleaseTest {
  @TempDir
  Path cache;

  private final CountDownLatch ended = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private HttpServer server;

  private interface Answer {
    void to(HttpExchange exchange) throws Exception;
  }

  @BeforeEach
  void cacheIsThatOfTheTest() {
    assumeFalse(System.getProperty("os.name").startsWith("Mac"), "a Mac's cache has no variable");
  }

  @AfterEach
  void stop() {
    ended.countDown();
    if (server != null) server.stop(0);
    threads.shutdownNow();
    Release.stalledMs = 60_000;
    Release.archiveBytesMax = 256L << 20;
  }

  private Map<String, String> serve(Answer answer) throws IOException {
    server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.setExecutor(threads);
    server.createContext("/", exchange -> {
      try {
        answer.to(exchange);
      } catch (IOException closed) {
        throw closed;
      } catch (Exception failure) {
        throw new IOException(failure);
      } finally {
        exchange.close();
      }
    });
    server.start();
    Map<String, String> environment = new HashMap<>();
    environment.put("TANZANITE_DOWNLOAD", "http://127.0.0.1:" + server.getAddress().getPort() + "/v1/");
    environment.put("XDG_CACHE_HOME", cache.toString());
    environment.put("LOCALAPPDATA", cache.toString());
    return environment;
  }

  private static void send(HttpExchange exchange, byte[] archive) throws IOException {
    exchange.sendResponseHeaders(200, archive.length);
    exchange.getResponseBody().write(archive);
  }

  private static byte[] archive(String program) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    if (Executable.isWindows()) {
      try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
        zip.putNextEntry(new ZipEntry("tanzanite.exe"));
        zip.write(program.getBytes(StandardCharsets.UTF_8));
      }
      return bytes.toByteArray();
    }
    try (OutputStream tar = new GZIPOutputStream(bytes)) {
      for (String name : List.of("LICENSE", "tanzanite")) {
        byte[] content = (name.equals("LICENSE") ? "MIT" : program).getBytes(StandardCharsets.UTF_8);
        byte[] header = new byte[512];
        byte[] size = String.format("%011o", content.length).getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(name.getBytes(StandardCharsets.US_ASCII), 0, header, 0, name.length());
        System.arraycopy(size, 0, header, 124, size.length);
        tar.write(header);
        tar.write(content);
        tar.write(new byte[(512 - content.length % 512) % 512]);
      }
      tar.write(new byte[1024]);
    }
    return bytes.toByteArray();
  }

  private static Release release(byte[] archive) throws Exception {
    String digest = TanzaniteEmulator.hex(MessageDigest.getInstance("SHA-256").digest(archive));
    Map<String, Object> file = Map.of("name", "tanzanite.archive" + (Executable.isWindows() ? ".zip" : ".tar.gz"), "sha256", digest);
    return new Release(Map.of("version", Release.current().version, "files", Map.of(Release.platformName(), file)));
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> paths = Files.walk(cache)) {
      return paths.filter(Files::isRegularFile).collect(Collectors.toList());
    }
  }

  @Test
  void isDownloadedOnce() throws Exception {
    byte[] archive = archive("the program");
    AtomicInteger requests = new AtomicInteger();
    Map<String, String> environment = serve(exchange -> {
      requests.incrementAndGet();
      assertTrue(exchange.getRequestURI().getPath().startsWith("/v1/tanzanite.archive"));
      send(exchange, archive);
    });
    for (int count = 0; count < 2; count++) {
      Path path = release(archive).executable(environment);
      assertEquals("the program", Files.readString(path));
      assertTrue(Files.isExecutable(path));
    }
    assertEquals(1, requests.get());
    assertEquals(1, files().size());
  }

  @Test
  void isCompleteWhenTwoDownloadItAtTheSameTime() throws Exception {
    byte[] archive = archive("the program");
    CountDownLatch both = new CountDownLatch(2);
    Map<String, String> environment = serve(exchange -> {
      exchange.sendResponseHeaders(200, archive.length);
      exchange.getResponseBody().write(archive, 0, 10);
      exchange.getResponseBody().flush();
      both.countDown();
      both.await();
      exchange.getResponseBody().write(archive, 10, archive.length - 10);
    });
    Release release = release(archive);
    CompletableFuture<Path> one = CompletableFuture.supplyAsync(() -> release.executable(environment), threads);
    CompletableFuture<Path> other = CompletableFuture.supplyAsync(() -> release.executable(environment), threads);
    assertEquals("the program", Files.readString(one.get()));
    assertEquals("the program", Files.readString(other.get()));
    assertEquals(1, files().size());
  }

  @Test
  void takesThePlaceOfAnOldExecutableOfThePath() throws Exception {
    assumeFalse(Executable.isWindows(), "a script is the executable");
    String words = String.join("' '", Executable.find(System.getenv(), Release.current()).words);
    byte[] archive = archive("#!/bin/sh\nexec '" + words + "' \"$@\"\n");
    Map<String, String> environment = serve(exchange -> send(exchange, archive));
    Path old = Files.createDirectory(cache.resolve("bin")).resolve("tanzanite");
    Files.writeString(old, "#!/bin/sh\necho '{\"url\":\"http://127.0.0.1:1\",\"version\":\"0.0.1\"}'; exec cat\n");
    assertTrue(old.toFile().setExecutable(true));
    environment.put("PATH", old.getParent() + ":" + System.getenv("PATH"));
    TanzaniteEmulator.start(environment, release(archive), false).close();
  }

  @Test
  void isRefusedWithAnotherChecksum() throws Exception {
    fails(serve(exchange -> send(exchange, archive("hostile"))), archive("the program"), "the SHA-256 is ");
  }

  @Test
  void isRefusedWhenOnlyAPartComes() throws Exception {
    byte[] archive = archive("the program");
    fails(serve(exchange -> {
      exchange.sendResponseHeaders(200, archive.length);
      exchange.getResponseBody().write(archive, 0, 10);
      exchange.getResponseBody().flush();
    }), archive, "");
  }

  @Test
  void isGivenUpWhenNothingComes() throws Exception {
    byte[] archive = archive("the program");
    Release.stalledMs = 100;
    fails(serve(exchange -> {
      exchange.sendResponseHeaders(200, archive.length);
      exchange.getResponseBody().write(archive, 0, 10);
      exchange.getResponseBody().flush();
      ended.await();
    }), archive, "it stopped: nothing came for 100 ms");
  }

  @Test
  void isGivenUpWhenItDoesNotEnd() throws Exception {
    Release.archiveBytesMax = 1_000_000;
    fails(serve(exchange -> {
      exchange.sendResponseHeaders(200, 0);
      while (true) exchange.getResponseBody().write(new byte[65_536]);
    }), archive("the program"), "it is larger than 1000000 bytes");
  }

  @Test
  void isFollowedToWhereItHasMoved() throws Exception {
    byte[] archive = archive("the program");
    Map<String, String> environment = serve(exchange -> {
      if (exchange.getRequestURI().getPath().startsWith("/v2/")) {
        send(exchange, archive);
        return;
      }
      exchange.getResponseHeaders().set("Location", "/v2/archive");
      exchange.sendResponseHeaders(302, -1);
    });
    assertEquals("the program", Files.readString(release(archive).executable(environment)));
  }

  @Test
  void isRefusedWhenItMovesWithoutEnd() throws Exception {
    fails(serve(exchange -> {
      exchange.getResponseHeaders().set("Location", "/again");
      exchange.sendResponseHeaders(302, -1);
    }), archive("the program"), "redirected too many");
  }

  @Test
  void isRefusedWithoutAProgram() throws Exception {
    byte[] content = "no archive".getBytes(StandardCharsets.UTF_8);
    fails(serve(exchange -> send(exchange, content)), content, "the archive cannot be unpacked: ");
  }

  @Test
  void isMissing() throws Exception {
    fails(serve(exchange -> exchange.sendResponseHeaders(404, -1)), archive("the program"), "the response is 404");
  }

  @Test
  void hasNoServer() throws Exception {
    Map<String, String> environment = serve(exchange -> {});
    server.stop(0);
    fails(environment, archive("the program"), "refused");
    environment.put("TANZANITE_DOWNLOAD", "not an address");
    fails(environment, archive("the program"), "neither http:// nor https://");
  }

  @Test
  void isNotThereForThisMachine() {
    Map<String, String> environment = Map.of("XDG_CACHE_HOME", cache.toString(), "TANZANITE_DOWNLOAD", "http://127.0.0.1:1");
    String message = assertThrows(TanzaniteException.class,
        () -> new Release(Map.of("version", "0.1.0")).executable(environment)).getMessage();
    assertTrue(message.contains("let TANZANITE name it") && message.contains(Release.platformName()), message);
  }

  private void fails(Map<String, String> environment, byte[] archive, String words) throws Exception {
    Release release = release(archive);
    String message = assertThrows(TanzaniteException.class, () -> release.executable(environment)).getMessage();
    assertTrue(message.startsWith("tanzanite: download of ") && message.contains(words) && !message.contains("\n"), message);
    assertEquals(List.of(), files());
  }
}
