/**
 * Begins the client request ids of the console, so that its own requests can be told from those of an application: the advisor
 * passes them over. The same text is in src/model/request-record.ts; a test compares them.
 */
export const consoleIdPrefix = 'tanzanite-console-';
