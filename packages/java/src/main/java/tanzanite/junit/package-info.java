/** Gives each test of JUnit 5 its own account of the emulator: {@link tanzanite.junit.Tanzanite}. */
package tanzanite.junit;
