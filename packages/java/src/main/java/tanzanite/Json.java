package tanzanite;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads and writes the emulator's JSON, so that the package needs no dependency. A JSON object becomes a map, and a number
 * becomes a BigDecimal.
 */
final class Json {
  private static final int DEPTH_MAX = 100;
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  /** Throws IllegalArgumentException unless the text is exactly one JSON value. */
  static Object parse(String text) {
    Json reader = new Json(text);
    Object value = reader.value(0);
    reader.skipSpace();
    if (reader.at < text.length()) throw reader.fault();
    return value;
  }

  /** Returns an empty map if the value is not an object. */
  @SuppressWarnings("unchecked")
  static Map<String, Object> object(Object value) {
    return value instanceof Map ? (Map<String, Object>) value : new LinkedHashMap<>();
  }

  static List<?> list(Object value) {
    return value instanceof List ? (List<?>) value : List.of();
  }

  static String string(Object value) {
    return value instanceof String ? (String) value : null;
  }

  static int integer(Object value) {
    return value instanceof BigDecimal ? ((BigDecimal) value).intValue() : 0;
  }

  static String write(Object value) {
    StringBuilder out = new StringBuilder();
    write(value, out);
    return out.toString();
  }

  private static void write(Object value, StringBuilder out) {
    if (value instanceof Map) {
      String before = "{";
      for (Map.Entry<?, ?> member : ((Map<?, ?>) value).entrySet()) {
        out.append(before);
        writeString(String.valueOf(member.getKey()), out);
        out.append(':');
        write(member.getValue(), out);
        before = ",";
      }
      out.append(before.equals("{") ? "{}" : "}");
    } else if (value instanceof List) {
      String before = "[";
      for (Object item : (List<?>) value) {
        out.append(before);
        write(item, out);
        before = ",";
      }
      out.append(before.equals("[") ? "[]" : "]");
    } else if (value == null || value instanceof Boolean || value instanceof Number) {
      out.append(value);
    } else {
      writeString(String.valueOf(value), out);
    }
  }

  private static void writeString(String value, StringBuilder out) {
    out.append('"');
    for (int at = 0; at < value.length(); at++) {
      char unit = value.charAt(at);
      if (unit == '"' || unit == '\\') out.append('\\').append(unit);
      // A half of a surrogate pair cannot be encoded as UTF-8.
      else if (unit < ' ' || Character.isSurrogate(unit)) out.append(String.format("\\u%04x", (int) unit));
      else out.append(unit);
    }
    out.append('"');
  }

  private Object value(int depth) {
    if (depth > DEPTH_MAX) throw fault();
    skipSpace();
    if (take('{')) return members(depth);
    if (take('[')) return items(depth);
    if (take('"')) return stringValue();
    if (takeWord("true")) return true;
    if (takeWord("false")) return false;
    if (takeWord("null")) return null;
    return number();
  }

  private Map<String, Object> members(int depth) {
    Map<String, Object> members = new LinkedHashMap<>();
    skipSpace();
    if (take('}')) return members;
    do {
      skipSpace();
      expect('"');
      String name = stringValue();
      skipSpace();
      expect(':');
      members.put(name, value(depth + 1));
      skipSpace();
    } while (take(','));
    expect('}');
    return members;
  }

  private List<Object> items(int depth) {
    List<Object> items = new ArrayList<>();
    skipSpace();
    if (take(']')) return items;
    do {
      items.add(value(depth + 1));
      skipSpace();
    } while (take(','));
    expect(']');
    return items;
  }

  private String stringValue() {
    StringBuilder out = new StringBuilder();
    while (!take('"')) {
      if (at >= text.length() || text.charAt(at) < ' ') throw fault();
      char unit = text.charAt(at++);
      out.append(unit == '\\' ? escaped() : unit);
    }
    return out.toString();
  }

  private char escaped() {
    if (at >= text.length()) throw fault();
    char letter = text.charAt(at++);
    if (letter == 'u') {
      if (at + 4 > text.length()) throw fault();
      String digits = text.substring(at, at + 4);
      if (!digits.matches("[0-9a-fA-F]{4}")) throw fault();
      at += 4;
      return (char) Integer.parseInt(digits, 16);
    }
    int place = "\"\\/bfnrt".indexOf(letter);
    if (place < 0) throw fault();
    return "\"\\/\b\f\n\r\t".charAt(place);
  }

  private BigDecimal number() {
    int start = at;
    while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) at++;
    String digits = text.substring(start, at);
    if (!digits.matches("-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]{1,4})?")) throw fault();
    return new BigDecimal(digits);
  }

  private void skipSpace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
  }

  private boolean take(char unit) {
    if (at >= text.length() || text.charAt(at) != unit) return false;
    at++;
    return true;
  }

  private boolean takeWord(String word) {
    if (!text.startsWith(word, at)) return false;
    at += word.length();
    return true;
  }

  private void expect(char unit) {
    if (!take(unit)) throw fault();
  }

  private IllegalArgumentException fault() {
    return new IllegalArgumentException("not JSON at character " + (at + 1));
  }
}
