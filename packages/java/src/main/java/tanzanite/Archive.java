package tanzanite;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The archive of a release: tanzanite.exe in a zip file, or tanzanite in a tar file. This class reads tar itself, because Java's
 * library has no reader for tar.
 */
final class Archive {
  private static final int BLOCK = 512;

  private Archive() {}

  /** Writes the only program of an archive. The program is on the disk when this returns. */
  static void unpack(Path archive, Path program, boolean isZip) throws IOException {
    try (OutputStream file = Files.newOutputStream(program)) {
      if (isZip) unpackZip(archive, file);
      else unpackTar(archive, file);
    }
    try (FileChannel written = FileChannel.open(program, StandardOpenOption.WRITE)) {
      written.force(true);
    }
  }

  private static void unpackZip(Path archive, OutputStream to) throws IOException {
    try (ZipFile entries = new ZipFile(archive.toFile())) {
      ZipEntry entry = entries.getEntry("tanzanite.exe");
      if (entry == null) throw new FileNotFoundException("there is no program in it");
      try (InputStream content = entries.getInputStream(entry)) {
        content.transferTo(to);
      }
    }
  }

  private static void unpackTar(Path archive, OutputStream to) throws IOException {
    try (InputStream blocks = new GZIPInputStream(Files.newInputStream(archive), 65_536)) {
      for (byte[] header = blocks.readNBytes(BLOCK); header.length == BLOCK && header[0] != 0; header = blocks.readNBytes(BLOCK)) {
        long size = sizeIn(header);
        boolean isProgram = textIn(header, 0, 100).equals("tanzanite");
        copy(blocks, isProgram ? to : OutputStream.nullOutputStream(), size);
        if (isProgram) return;
        blocks.readNBytes((int) ((BLOCK - size % BLOCK) % BLOCK));
      }
    }
    throw new FileNotFoundException("there is no program in it");
  }

  private static void copy(InputStream from, OutputStream to, long size) throws IOException {
    byte[] bytes = new byte[65_536];
    for (long left = size; left > 0; ) {
      int count = from.read(bytes, 0, (int) Math.min(left, bytes.length));
      if (count < 0) throw new EOFException("it ends too early");
      to.write(bytes, 0, count);
      left -= count;
    }
  }

  private static long sizeIn(byte[] header) throws IOException {
    try {
      return Long.parseLong(textIn(header, 124, 12).strip(), 8);
    } catch (NumberFormatException damaged) {
      throw new IOException("it is not a tar", damaged);
    }
  }

  private static String textIn(byte[] header, int start, int length) {
    return new String(header, start, length, StandardCharsets.ISO_8859_1).split("\0", -1)[0];
  }
}
