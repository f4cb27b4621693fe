/**
 * Starts Tanzanite, an emulator of the Azure Table service, and gives each test its own account.
 *
 * <p>{@link tanzanite.TanzaniteEmulator} is for any program, and {@code tanzanite.junit} is for tests of JUnit 5.
 */
package tanzanite;
