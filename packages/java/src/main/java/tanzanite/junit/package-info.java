/** Gives tests of JUnit 5 an account of the emulator each: {@link tanzanite.junit.Tanzanite}. */
package tanzanite.junit;
