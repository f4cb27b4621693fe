package tanzanite;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Map;

/** Controls the emulator's time. Timestamps, shared access signatures, stored access policies and capacity follow it. */
public final class Clock {
  private final TanzaniteEmulator emulator;

  Clock(TanzaniteEmulator emulator) {
    this.emulator = emulator;
  }

  /**
   * Reads the clock.
   *
   * @return the emulator's time
   */
  public Instant now() {
    return OffsetDateTime.parse(Json.string(emulator.ask("GET", "clock", null).get("now"))).toInstant();
  }

  /**
   * Moves the time forward, and returns when everything that has become due is done.
   *
   * @param by how far
   */
  public void advance(Duration by) {
    turn("POST", Map.of("advanceMs", by.toMillis()));
  }

  /** Stops the time. */
  public void freeze() {
    turn("POST", Map.of("freeze", true));
  }

  /** Lets frozen time continue. */
  public void resume() {
    turn("POST", Map.of("freeze", false));
  }

  /**
   * Sets the time.
   *
   * @param to in the years 1601 to 9999
   */
  public void set(Instant to) {
    turn("POST", Map.of("now", to.toString()));
  }

  /** Returns to the machine's time. */
  public void release() {
    turn("DELETE", null);
  }

  private void turn(String method, Object body) {
    if (emulator.isShared()) {
      throw new TanzaniteException(
          "tanzanite: the clock is that of all tests that share the emulator: use @Tanzanite(own = true) or TanzaniteEmulator.start()");
    }
    emulator.ask(method, "clock", body);
  }
}
