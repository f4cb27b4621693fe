// Finds the known name that a misspelt name probably means.

const editsMax = 2;

/**
 * Returns the name that begins with the word, if exactly one name does. Otherwise returns the most similar name, if it
 * differs from the word by at most two typing errors.
 */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const completed = names.filter((name) => word.length > 1 && name.startsWith(word));
  if (completed.length === 1) return completed[0];
  const limit = Math.min(editsMax, word.length / 2);
  const [best] = names
    .map((name) => ({ name, edits: countEdits(word, name) }))
    .filter(({ edits }) => edits <= limit)
    .sort((a, b) => a.edits - b.edits);
  return best?.name;
}

/** The number of letters to insert, delete or replace to get from one word to the other (Levenshtein distance). */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1];
    for (const [at, other] of [...to].entries()) {
      const replaced = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
