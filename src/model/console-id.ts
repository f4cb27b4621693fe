/**
 * The prefix of the console's client request ids. The advisor ignores requests with this prefix, and the page Traffic can
 * hide them.
 */
export const consoleIdPrefix = 'tanzanite-console-';
