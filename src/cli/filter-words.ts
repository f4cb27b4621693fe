/** A hint for a refused filter that the shell split into words, without its quotes. */
export function quotesHint(words: readonly string[]): string {
  if (words.length < 2) return '';
  return ` Read as: ${words.join(' ')}. Quote the filter, so that the shell keeps the quotes in it.`;
}
