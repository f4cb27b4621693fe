/**
 * The same text in memory of its own. What is cut out of a long text, as a key out of a body, keeps all of that text
 * alive for as long as it is kept (V8's sliced strings): whoever keeps it beyond the request keeps a copy.
 */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
