// Makes text from outside (headers, addresses, keys, messages) safe for a line of the log and for a terminal.

/** Text without characters to escape. Testing this first is faster. */
const plain = /^[\x20-\x7e]*$/;

/** Controls (C0, DEL, C1), format characters (including bidirectional ones), line separators, lone surrogates. */
export const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** Replaces each character that a terminal interprets or does not show by an escape: `\u009b` or `\u{e0001}`. */
export function escapeControls(text: string): string {
  return plain.test(text) ? text : text.replace(unsafe, escapeChar);
}

/** Escapes one character that `unsafe` matches. */
export function escapeChar(char: string): string {
  const hex = (char.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}

/**
 * The maximum length of a quotation in a reason. A reason may be sent in a header, and the keys and addresses that it
 * quotes come from clients and can be long.
 */
const quotedCharsMax = 512;

/** A text as a JSON string; the middle of a long text is left out. */
export const quote = (text: string): string => JSON.stringify(cutMiddle(text, quotedCharsMax));

/**
 * Shortens a long text to its beginning and its end. A note between these parts gives the number of characters (UTF-16
 * units) that are left out.
 */
export function cutMiddle(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const half = charsMax >> 1;
  return `${text.slice(0, half)}… ${text.length - 2 * half} characters left out …${text.slice(-half)}`;
}
