// Only this file decides the order of keys. Keys are stored as bytes, and PostgreSQL compares the bytes. Each UTF-16
// code unit becomes one to three bytes, as if the code unit were a code point in UTF-8. The halves of a surrogate pair
// are also encoded separately (CESU-8). The bytes therefore sort as code units do, an ASCII key takes one byte per
// character, and a lone surrogate is kept.

const surrogates = /[\ud800-\udfff]/;

export function encodeKeyBytes(text: string): Buffer {
  return surrogates.test(text) ? encodeUnits(text) : Buffer.from(text, 'utf8');
}

function encodeUnits(text: string): Buffer {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) bytes.push(unit);
    else if (unit < 0x800) bytes.push(0xc0 | (unit >> 6), 0x80 | (unit & 0x3f));
    else bytes.push(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
  }
  return Buffer.from(bytes);
}

/**
 * Decodes a key in the format of PostgreSQL's `encode(…, 'escape')`: ASCII is unchanged, every other byte is written in
 * octal as in `\351`, and a backslash is doubled.
 */
export function decodeKeyBytes(escaped: string): string {
  if (!escaped.includes('\\')) return escaped;
  const bytes: number[] = [];
  for (let at = 0; at < escaped.length; at++) {
    const code = escaped.charCodeAt(at);
    if (code !== backslash) bytes.push(code);
    else if (escaped.charCodeAt(at + 1) === backslash) {
      bytes.push(backslash);
      at += 1;
    } else {
      bytes.push(Number.parseInt(escaped.slice(at + 1, at + 4), 8));
      at += 3;
    }
  }
  return decodeUnits(bytes);
}

const backslash = 0x5c;

function decodeUnits(bytes: readonly number[]): string {
  const units: number[] = [];
  const low = (at: number): number => (bytes[at] ?? 0) & 0x3f;
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] as number;
    if (first < 0x80) {
      units.push(first);
      at += 1;
    } else if (first < 0xe0) {
      units.push(((first & 0x1f) << 6) | low(at + 1));
      at += 2;
    } else {
      units.push(((first & 0x0f) << 12) | (low(at + 1) << 6) | low(at + 2));
      at += 3;
    }
  }
  // At most 1,024 characters, so they fit in one call.
  return String.fromCharCode(...units);
}
