/**
 * Copies a text. V8 represents a substring, for example a key within a body, as a slice that keeps the entire body in
 * memory. Therefore a substring that outlives the request must be copied.
 */
export function copyString(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
