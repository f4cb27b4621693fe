/**
 * The prefix of the console's client request ids. The advisor ignores requests with this prefix, and the console's
 * Traffic page can hide them.
 */
export const consoleIdPrefix = 'tanzanite-console-';
