/** What to say of a refused filter that the shell took apart, and whose quotes it took away. */
export function quotesHint(words: readonly string[]): string {
  if (words.length < 2) return '';
  return ` Read as: ${words.join(' ')}. Quote the filter, so that the shell leaves its quotes.`;
}
