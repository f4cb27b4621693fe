interface Called {
  readonly program?: string;
  readonly hasAzurite?: boolean;
}
export function readWords(words: readonly string[], called?: Called): string[];
export function readProcess(line: readonly string[], hasAzurite?: boolean): string[];
