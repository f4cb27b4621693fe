package tanzanite;

/** Says in one line why an emulator does not start, or why it refused a call. */
public final class TanzaniteException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  /** The code of a refusal. It is null for any other failure. */
  private final String code;

  TanzaniteException(String message) {
    this(message, (String) null);
  }

  TanzaniteException(String message, Throwable cause) {
    super(message, cause);
    this.code = null;
  }

  TanzaniteException(String message, String code) {
    super(message);
    this.code = code;
  }

  /**
   * Returns the code of a refusal by the emulator's own API.
   *
   * @return the code, such as {@code SnapshotNotFound}, or null
   */
  public String code() {
    return code;
  }
}
