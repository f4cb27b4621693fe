package tanzanite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  @ParameterizedTest
  @ValueSource(strings = {
    "{}", "[]", "null", "true", "-1.5E+3", "\"\\u0000\\ud83d\\ude00ü\\\"\\\\\"", "{\"a\":[1,{\"b\":null}],\"c\":\"\"}",
    "123456789012345678901234567890",
  })
  void comesBackAsItWas(String text) {
    assertEquals(text, Json.write(Json.parse(text)));
  }

  @ParameterizedTest
  @ValueSource(strings = {
    "", "{", "[1,]", "{\"a\"}", "{a:1}", "01", "1.", "--1", "1e99999", "tru", "\"", "\"\\", "\"\\u12\"", "\"\\x\"", "\"\n\"", "1 2", "{}}", "'a'", "NaN",
  })
  void isRefused(String text) {
    assertThrows(IllegalArgumentException.class, () -> Json.parse(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "{\"a\":"})
  void isRefusedBeyondADepth(String start) {
    assertThrows(IllegalArgumentException.class, () -> Json.parse(start.repeat(100_000)));
  }
}
