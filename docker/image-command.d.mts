interface Called {
  readonly program?: string;
  readonly data?: string;
  readonly hasAzurite?: boolean;
}
export function readWords(words: readonly string[], called?: Called): string[];
export function readUrl(words: readonly string[]): string;
