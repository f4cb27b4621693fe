/**
 * The prefix of the console's client request ids. It distinguishes the console's requests from an application's: the advisor
 * ignores them, and Traffic can hide them.
 */
export const consoleIdPrefix = 'tanzanite-console-';
