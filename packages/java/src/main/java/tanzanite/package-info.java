/**
 * Starts Tanzanite, an emulator of the Azure Table service, and gives each test an account of it.
 *
 * <p>{@link tanzanite.TanzaniteEmulator} is for any program, {@code tanzanite.junit} for tests of JUnit 5.
 */
package tanzanite;
