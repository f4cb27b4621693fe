package tanzanite;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A request that the emulator refused, or that failed because of a fault rule. */
public final class Refusal {
  private final Map<String, Object> fields;

  Refusal(Map<String, Object> fields) {
    this.fields = fields;
  }

  /**
   * Returns the operation's name in the documentation of the service.
   *
   * @return such as {@code InsertEntity}
   */
  public String operation() {
    return Json.string(fields.get("operation"));
  }

  /**
   * Returns the status of the response.
   *
   * @return the HTTP status, or 444 if a fault rule closed the connection instead
   */
  public int status() {
    return Json.integer(fields.get("status"));
  }

  /**
   * Returns the service's error code.
   *
   * @return such as {@code EntityAlreadyExists}, or null
   */
  public String code() {
    return Json.string(fields.get("code"));
  }

  /**
   * Returns the table of the request.
   *
   * @return its name, or null
   */
  public String table() {
    return Json.string(fields.get("table"));
  }

  /**
   * Returns why the request was refused.
   *
   * @return sentences; the cause comes first
   */
  public List<String> why() {
    List<String> why = new ArrayList<>();
    for (Object cause : Json.list(fields.get("why"))) why.add(String.valueOf(cause));
    for (Object cause : Json.list(refusedOperation().get("why"))) why.add(String.valueOf(cause));
    return why;
  }

  /** In a batch, the operation that caused the refusal. */
  private Map<String, Object> refusedOperation() {
    return Json.object(Json.object(fields.get("batch")).get("refused"));
  }

  /** One line, such as {@code 409 EntityAlreadyExists InsertEntity Pets "dog" "rex"}. */
  @Override
  public String toString() {
    StringBuilder line = new StringBuilder(String.valueOf(status()));
    for (Object part : new Object[] {code(), operation(), table()}) {
      if (part != null) line.append(' ').append(part);
    }
    for (String name : List.of("partitionKey", "rowKey", "filter")) {
      if (fields.get(name) != null) line.append(' ').append(Json.write(fields.get(name)));
    }
    Map<String, Object> cause = refusedOperation();
    if (!cause.isEmpty()) {
      line.append(String.format(" (operation %s, %s: %s)", cause.get("index"), cause.get("operation"), cause.get("code")));
    }
    Map<String, Object> fault = Json.object(fields.get("fault"));
    if (!fault.isEmpty()) {
      line.append(String.format(" (staged by the fault \"%s\", %s)", fault.get("rule"), fault.get("kind")));
    }
    return escapeControls(why().isEmpty() ? line.toString() : line + ": " + String.join(" ", why()));
  }

  /** Replaces each character that a terminal interprets or does not show with an escape. */
  static String escapeControls(String text) {
    StringBuilder escaped = new StringBuilder();
    text.codePoints().forEach(point -> {
      switch (Character.getType(point)) {
        case Character.CONTROL:
        case Character.FORMAT:
        case Character.LINE_SEPARATOR:
        case Character.PARAGRAPH_SEPARATOR:
        case Character.SURROGATE:
          escaped.append(String.format("\\u%04x", point));
          break;
        default:
          escaped.appendCodePoint(point);
      }
    });
    return escaped.toString();
  }
}
