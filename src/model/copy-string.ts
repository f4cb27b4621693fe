/**
 * A copy of a text. V8 represents a substring, such as a key within a body, as a slice that keeps the whole body alive; what
 * outlives the request must be copied.
 */
export function copyString(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
