/**
 * Begins the client request ids of the console, so that its own requests can be told from those of an application: the advisor
 * passes them over, and Traffic can leave them out.
 */
export const consoleIdPrefix = 'tanzanite-console-';
