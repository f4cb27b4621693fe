// How many columns text takes on a terminal. Where terminals differ, the larger number counts: a line that wraps breaks the frame.

/** Combining marks, and invisible characters that join or separate others. */
const invisible = /[\p{Mn}\p{Me}\u200b-\u200f\u2060\ufeff]/u;

/** Variation selector 16: shows the character before it as an emoji, which is one column wider. */
const emojiSelector = '\ufe0f';

/** East Asian Wide and Fullwidth by their blocks, and emoji. Source: Unicode Standard Annex 11 */
const wide =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

export function columnsOf(text: string): number {
  let columns = 0;
  for (const char of text) columns += columnsOfChar(char);
  return columns;
}

/** The text, or as much of it as fits with `…` after it. */
export function clip(text: string, columnsMax: number): string {
  if (columnsOf(text) <= columnsMax) return text;
  let [clipped, columns] = ['', 0];
  // By code points, so that no surrogate pair is split.
  for (const char of text) {
    columns += columnsOfChar(char);
    if (columns > columnsMax - 1) break;
    clipped += char;
  }
  return `${clipped}…`;
}

/** The text, or its beginning and its end with `…` between them, as much as fits. */
export function clipMiddle(text: string, columnsMax: number): string {
  if (columnsOf(text) <= columnsMax) return text;
  const chars = [...text];
  let columns = 1;
  let [from, to] = [0, chars.length];
  while (from < to) {
    const isNextInFront = from <= chars.length - to;
    const char = (isNextInFront ? chars[from] : chars[to - 1]) ?? '';
    columns += columnsOfChar(char);
    if (columns > columnsMax) break;
    if (isNextInFront) from++;
    else to--;
  }
  return `${chars.slice(0, from).join('')}…${chars.slice(to).join('')}`;
}

function columnsOfChar(char: string): number {
  if (char <= '~') return 1;
  if (char === emojiSelector) return 1;
  if (invisible.test(char)) return 0;
  return wide.test(char) ? 2 : 1;
}
