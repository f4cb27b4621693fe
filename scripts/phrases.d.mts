/** The forbidden phrases in a file, each with its line and what to write instead. */
export function faultsOf(
  file: string,
  content: string,
): readonly { readonly file: string; readonly line: number; readonly phrase: string; readonly write: string }[];
