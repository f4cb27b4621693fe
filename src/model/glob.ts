// Patterns in which `*` matches any text. The time for a match is linear in the lengths of the text and the pattern,
// whatever they contain.

export type Glob = (text: string) => boolean;

export function compileGlob(pattern: string): Glob {
  const parts = pattern.split('*');
  const [first = ''] = parts;
  if (parts.length === 1) return (text) => text === pattern;
  const last = parts.at(-1) ?? '';
  const inner = parts
    .slice(1, -1)
    .filter((part) => part !== '')
    .map(createSearch);
  return (text) => {
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    const end = text.length - last.length;
    let at = first.length;
    // Each part is matched as far left as possible, which leaves the most text for the parts after it.
    for (const search of inner) {
      at = search(text, { at, end });
      if (at < 0) return false;
    }
    return true;
  };
}

interface Stretch {
  readonly at: number;
  readonly end: number;
}

/**
 * Returns a function that searches for `part` between two positions of a text. The function returns the position after
 * the part, or -1 if it does not find the part.
 */
function createSearch(part: string): (text: string, stretch: Stretch) => number {
  /**
   * The table of the Knuth-Morris-Pratt search, with one entry for each prefix of `part`. The entry is the length of
   * the longest text with which the prefix both begins and ends. This text must be shorter than the prefix.
   */
  const fallbacks = [0];
  for (let at = 1, length = 0; at < part.length; at++) {
    while (length > 0 && part[at] !== part[length]) length = fallbacks[length - 1] ?? 0;
    if (part[at] === part[length]) length++;
    fallbacks.push(length);
  }
  return (text, { at, end }) => {
    for (let place = at, length = 0; place < end; place++) {
      while (length > 0 && text[place] !== part[length]) length = fallbacks[length - 1] ?? 0;
      if (text[place] === part[length]) length++;
      if (length === part.length) return place + 1;
    }
    return -1;
  };
}
