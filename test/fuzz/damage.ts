// Makes valid documents, and damages them. A document is a text with one character per byte. A change can therefore
// damage the inside of a UTF-8 character, and the corpus can store the damaged document.

import fc from 'fast-check';

export interface Change {
  readonly kind: 'insert' | 'remove' | 'repeat' | 'byte' | 'cut' | 'drop line' | 'swap lines';
  /** The position as a fraction of the length. */
  readonly at: number;
  readonly length: number;
  readonly token: string;
}

/** Tokens that any language may contain. */
const anyTokens = [
  '\0',
  '\r\n',
  '\n',
  '\r',
  ' ',
  '\t',
  '\x7f',
  '\xff',
  '\xc3',
  '\xed\xa0\x80',
  '\xef\xbb\xbf',
  '%',
  '9',
  '-',
];

export const bytesOf = (document: string): Buffer => Buffer.from(document, 'latin1');
export const documentOf = (bytes: Buffer | string): string => Buffer.from(bytes).toString('latin1');

/** Up to four changes to a document in a language with these tokens. */
export function changesOf(tokens: readonly string[]): fc.Arbitrary<readonly Change[]> {
  const change: fc.Arbitrary<Change> = fc.record({
    kind: fc.constantFrom('insert', 'insert', 'remove', 'repeat', 'byte', 'cut', 'drop line', 'swap lines'),
    // fast-check prefers small numbers, which would favour the beginning of the document.
    at: fc.noBias(fc.integer({ min: 0, max: 9_999 })).map((part) => part / 10_000),
    length: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 120 })),
    token: fc.oneof(fc.constantFrom(...tokens.map(documentOf)), fc.constantFrom(...anyTokens)),
  });
  return fc.array(change, { maxLength: 4 });
}

export const changed = (document: string, changes: readonly Change[]): string => changes.reduce(apply, document);

/** Documents, unchanged or with up to four changes. */
export function damaged(documents: fc.Arbitrary<string>, tokens: readonly string[]): fc.Arbitrary<string> {
  return fc.tuple(documents, changesOf(tokens)).map(([document, changes]) => changed(document, changes));
}

function apply(document: string, { kind, at, length, token }: Change): string {
  const from = Math.floor(at * document.length);
  const [head, tail] = [document.slice(0, from), document.slice(from)];
  switch (kind) {
    case 'insert':
      return head + token + tail;
    case 'remove':
      return head + tail.slice(length);
    case 'repeat':
      return head + tail.slice(0, length) + tail;
    case 'byte':
      return head + token.slice(0, 1) + tail.slice(1);
    case 'cut':
      return head;
    default:
      return changeLines(document.split('\n'), kind, at);
  }
}

function changeLines(lines: string[], kind: 'drop line' | 'swap lines', at: number): string {
  const index = Math.min(Math.floor(at * lines.length), lines.length - 1);
  const [line = ''] = lines.splice(index, 1);
  if (kind === 'swap lines') lines.splice(index + 1, 0, line);
  return lines.join('\n');
}
