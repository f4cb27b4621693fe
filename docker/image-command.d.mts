export function readWords(words: readonly string[]): string[];
export function readUrl(words: readonly string[]): string;
