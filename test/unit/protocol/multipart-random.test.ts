// Tests random bodies with two nested boundaries. One boundary may begin or end like the other boundary. The reader
// must find the same parts as a search that compares byte by byte. RUNS=100000 makes more runs.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MultipartReader } from '../../../src/protocol/multipart.ts';

const runs = Number(process.env['RUNS'] ?? 3000);
const boundaries = fc.constantFrom('b', 'b-', 'b--', '-', '--', '---', 'bb', 'b b', 'ab', 'b_');
const scraps = [' ', '\t', '-', '--', '{"a":1}', 'x', '\r\n', '\n', '\r', '\u00a0'];

const bodies = fc.tuple(boundaries, boundaries).chain(([outer, inner]) => {
  const marks = [outer, inner].flatMap((boundary) => [`--${boundary}`, `--${boundary}--`]);
  const ends = fc.constantFrom('\r\n', '\n', '\r', '', '');
  const piece = fc.tuple(fc.constantFrom(...marks, ...scraps), ends).map((texts) => texts.join(''));
  const start = fc.constantFrom(`--${outer}\n--${inner}\n`, `--${outer}\n`, '');
  const text = fc.tuple(start, fc.array(piece, { maxLength: 20 })).map(([head, pieces]) => head + pieces.join(''));
  return fc.record({ outer: fc.constant(outer), inner: fc.constant(inner), text });
});

type Parts = readonly (readonly string[])[];

/** Reads every part of the outer body as a body with the inner boundary. */
function read(text: string, outer: string, inner: string): Parts {
  const reader = new MultipartReader(Buffer.from(text, 'latin1'), outer);
  const all: string[][] = [];
  while (reader.next() !== undefined) {
    const inside = reader.inside(0, inner);
    const parts: string[] = [];
    for (let part = inside.next(); part !== undefined; part = inside.next()) parts.push(part.toString('latin1'));
    all.push(parts);
  }
  return all;
}

interface Found {
  readonly at: number;
  readonly next: number;
  readonly isLast: boolean;
  readonly boundary: string;
}

/**
 * Returns the first delimiter that has one of the boundaries. If two delimiters begin at the same place, returns the
 * one whose boundary comes first in `names`.
 */
function find(text: string, from: number, names: readonly string[]): Found | undefined {
  for (let at = from; at < text.length; at++) {
    for (const boundary of names) {
      if (!text.startsWith(`--${boundary}`, at)) continue;
      const rest = /^(--)?[ \t\v\f\u0085\u00a0]*(?:\r\n|\n|\r|$)/.exec(text.slice(at + boundary.length + 2));
      if (rest) return { at, next: at + boundary.length + 2 + rest[0].length, isLast: rest[1] !== undefined, boundary };
    }
  }
  return undefined;
}

const contentOf = (text: string, from: number, to: number): string =>
  text
    .slice(0, to)
    .replace(/(?:\r\n|\n|\r)$/, '')
    .slice(from);
const isBlank = (text: string): boolean => /^[\s\u0085]*$/.test(text);

function readNaively(text: string, outer: string, inner: string): Parts {
  const all: string[][] = [];
  let at = 0;
  for (;;) {
    const opening = find(text, at, [outer]);
    if (!opening || opening.isLast) return all;
    const closing = find(text, opening.next, [outer]);
    if (!closing && isBlank(text.slice(opening.next))) return all;
    const inside = readInside(text, opening.next, { outer, inner });
    all.push(inside.parts);
    at = inside.end;
  }
}

function readInside(text: string, from: number, { outer, inner }: { outer: string; inner: string }) {
  const parts: string[] = [];
  let at = from;
  for (;;) {
    const opening = find(text, at, [inner, outer]);
    if (!opening || opening.boundary !== inner) return { parts, end: opening?.at ?? at };
    if (opening.isLast) return { parts, end: opening.next };
    const closing = find(text, opening.next, [inner, outer]);
    const part = contentOf(text, opening.next, closing?.at ?? text.length);
    const isEnclosed = closing?.boundary !== inner;
    if (!(isEnclosed && isBlank(part))) parts.push(closing ? part : text.slice(opening.next));
    at = closing?.at ?? text.length;
    if (isEnclosed) return { parts, end: at };
  }
}

it('The parts of nested bodies are the same that a search byte by byte finds', () => {
  let found = 0;
  fc.assert(
    fc.property(bodies, ({ outer, inner, text }) => {
      const parts = read(text, outer, inner);
      expect(parts).toEqual(readNaively(text, outer, inner));
      if (parts.flat().length > 0) found++;
    }),
    { numRuns: runs },
  );
  expect(found).toBeGreaterThan(runs / 10);
});
