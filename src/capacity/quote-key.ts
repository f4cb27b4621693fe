/** More of a key is rarely needed to tell which it is, and a line is to be read at a glance. */
const keyCharsMax = 40;

/** C1 and what turns the direction of writing: a terminal obeys them, and JSON leaves them as they are. */
const obeyed = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** A partition key for a person: as JSON has it, so that none moves the cursor or ends the line. */
export function quoteKey(key: string): string {
  // By code points: half of a pair is no character.
  const chars = [...key];
  const shown = chars.length > keyCharsMax ? `${chars.slice(0, keyCharsMax - 1).join('')}…` : key;
  return JSON.stringify(shown).replaceAll(obeyed, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
