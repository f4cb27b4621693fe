// Measures how many columns a text takes on a terminal, and shortens texts that do not fit.

import stringWidth from 'string-width';

const clusters = new Intl.Segmenter();

/** The text must hold no escape sequences: their characters would count. */
export const columnsOf = (text: string): number => stringWidth(text, { countAnsiEscapeCodes: true });

/** The text or, if it is too long, its beginning and `…`. */
export function clip(text: string, columnsMax: number): string {
  if (columnsOf(text) <= columnsMax) return text;
  const parts = clustersOf(text);
  return `${parts.slice(0, countFitting(parts, columnsMax - 1)).join('')}…`;
}

/** The text or, if it is too long, its beginning and its end with `…` between them. */
export function clipMiddle(text: string, columnsMax: number): string {
  if (columnsOf(text) <= columnsMax) return text;
  const parts = clustersOf(text);
  const tailMax = Math.max(0, columnsMax - 1) >> 1;
  const tail = parts.slice(parts.length - countFitting(parts.toReversed(), tailMax));
  const head = parts.slice(0, countFitting(parts, columnsMax - 1 - columnsOf(tail.join(''))));
  return `${head.join('')}…${tail.join('')}`;
}

/** The text as lines that fit. Lines break at spaces, or within a word that is longer than a line. */
export function wrap(text: string, columnsMax: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.pop() ?? '';
    const joined = last === '' ? word : `${last} ${word}`;
    if (columnsOf(joined) <= columnsMax) lines.push(joined);
    else lines.push(...(last === '' ? [] : [last]), ...breakWord(word, columnsMax));
  }
  return lines;
}

function breakWord(word: string, columnsMax: number): string[] {
  const lines: string[] = [];
  let parts = clustersOf(word);
  while (parts.length > 0) {
    const count = Math.max(1, countFitting(parts, columnsMax));
    lines.push(parts.slice(0, count).join(''));
    parts = parts.slice(count);
  }
  return lines;
}

/** The units that a reader sees as one character each. A cut inside a unit would show a different character. */
const clustersOf = (text: string): string[] => Array.from(clusters.segment(text), ({ segment }) => segment);

/** How many of the parts fit. */
function countFitting(parts: readonly string[], columnsMax: number): number {
  let columns = 0;
  const end = parts.findIndex((part) => {
    columns += columnsOf(part);
    return columns > columnsMax;
  });
  return end === -1 ? parts.length : end;
}
