import { escapeControls } from '../model/printable-text.ts';

/** More of a key is rarely needed to tell which it is, and a line is to be read at a glance. */
const keyCharsMax = 40;

/** A partition key for a person: as JSON has it, so that none moves the cursor or ends the line. */
export function quoteKey(key: string): string {
  // By code points: half of a pair is no character.
  const chars = [...key];
  const shown = chars.length > keyCharsMax ? `${chars.slice(0, keyCharsMax - 1).join('')}…` : key;
  return escapeControls(JSON.stringify(shown));
}
