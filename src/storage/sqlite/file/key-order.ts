// Only this file decides the order of keys. The service orders keys by UTF-16 code units. SQLite orders keys by UTF-8
// bytes, and therefore by code points. The two orders differ only when a character from U+E000–U+FFFF is compared with
// a character beyond U+FFFF, so nearly every key is stored unchanged. A character from U+E000–U+FFFF is stored with
// U+10FFFF before it, so that it sorts after every other character. U+10FFFF itself is stored with U+0001 after it.
// Evidence: assumed (that the order is UTF-16's).

const affected = /[\ue000-\uffff\u{10ffff}]/u;
const affectedAll = /[\ue000-\uffff\u{10ffff}]/gu;
const last = '\u{10ffff}';
const storedAll = /\u{10ffff}(.)/gsu;

export function encodeKeyPart(text: string): string {
  if (!affected.test(text)) return text;
  return text.replace(affectedAll, (char) => (char === last ? `${last}\u0001` : last + char));
}

export function decodeKeyPart(stored: string): string {
  if (!affected.test(stored)) return stored;
  return stored.replace(storedAll, (_, char: string) => (char === '\u0001' ? last : char));
}
