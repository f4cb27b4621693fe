package tanzanite.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives each test an account of the emulator. The test receives the account through its parameters. A parameter is a
 * {@code TanzaniteAccount}, a {@code TableServiceClient} or {@code TableServiceAsyncClient} of azure-data-tables, or a
 * {@code @Tanzanite String}, which is the connection string.
 *
 * <pre>{@code
 * @Tanzanite
 * class PetsTest {
 *   @Test
 *   void petsAreKept(TableServiceClient service) {
 *     service.createTable("Pets");
 *   }
 * }
 * }</pre>
 *
 * <p>All tests of the process share one emulator, which the first test starts. The parameters of a test and of its
 * {@code @BeforeEach} and {@code @AfterEach} methods belong to one account. The parameters of {@code @BeforeAll} methods and of a
 * constructor belong to an account of the class. The annotations of a class, a method and its parameters are combined.
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.PARAMETER})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(TanzaniteExtension.class)
public @interface Tanzanite {
  /**
   * Files or folders that fill the account.
   *
   * @return paths
   */
  String[] seed() default {};

  /**
   * Faults that are in force from the beginning of the test.
   *
   * @return rules, as JSON
   */
  String[] faults() default {};

  /**
   * Whether the test has an emulator that no other test shares, with a clock that it may change.
   *
   * @return true for such an emulator, which takes about 0.2 s to start
   */
  boolean own() default false;

  /**
   * Further flags of {@code tanzanite start}. With flags, the test has an emulator that no other test shares.
   *
   * @return flags and their values
   */
  String[] flags() default {};
}
