export function renderDocs(
  documents: readonly { readonly name: string; readonly text: string }[],
  script: string,
): string;
