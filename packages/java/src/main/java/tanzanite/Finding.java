package tanzanite;

import java.util.Map;

/** What one rule of the advisor found in one table. The emulator's docs/advisor describes each rule. */
public final class Finding {
  private final Map<String, Object> fields;

  Finding(Map<String, Object> fields) {
    this.fields = fields;
  }

  /**
   * Returns the rule.
   *
   * @return such as {@code table-scan}
   */
  public String rule() {
    return Json.string(fields.get("rule"));
  }

  /**
   * Returns how severe the finding is.
   *
   * @return {@code error}, {@code warning} or {@code note}
   */
  public String severity() {
    return Json.string(fields.get("severity"));
  }

  /**
   * Returns the table.
   *
   * @return its name, or null if the finding is about the account or about a client
   */
  public String table() {
    return Json.string(fields.get("table"));
  }

  /**
   * Returns how often the emulator saw the problem.
   *
   * @return the count
   */
  public int count() {
    return Json.integer(fields.get("count"));
  }

  /**
   * Returns why this makes requests slow or expensive.
   *
   * @return a sentence
   */
  public String why() {
    return Json.string(fields.get("why"));
  }

  /**
   * Returns what to do about it.
   *
   * @return a sentence
   */
  public String advice() {
    return Json.string(fields.get("advice"));
  }

  String account() {
    return Json.string(fields.get("account"));
  }

  /** The entire finding, in one line. */
  @Override
  public String toString() {
    String place = table() == null ? "" : " " + table();
    return severity() + " " + rule() + place + ": " + why() + " " + advice();
  }
}
