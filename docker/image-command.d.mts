interface Called {
  readonly program?: string;
  readonly data?: string;
  readonly hasAzurite?: boolean;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}
export function readWords(words: readonly string[], called?: Called): string[];
export function readUrl(words: readonly string[], environment?: Called['environment']): string;
