import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerBytesMax, boundAnswer, valueCharsMax } from '../../../src/mcp/bounded-answer.ts';
import { toolResult } from '../../../src/mcp/tool-result.ts';

const mask = (text: string): string => text.replaceAll('secret', 'REDACTED');
const bound = (found: object): Record<string, unknown> => boundAnswer(found, mask) as Record<string, unknown>;

/** Every text in a value, including the names of members. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => [name, ...textsIn(one)]);
}

const invisible = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;

describe('an answer', () => {
  it('that fits into the limits stays unchanged', () => {
    const found = { table: 'pets', plan: null, entities: [{ PartitionKey: 'a', Age: 5, isOld: false }] };
    expect(bound(found)).toEqual(found);
  });

  it('shows control, bidirectional and other invisible characters as escapes, in names too', () => {
    expect(bound({ 'a\u202eb': 'x\u0000\n\u2066y\u{e0041}\ud800' })).toEqual({
      'a\\u202eb': 'x\\u0000\\u000a\\u2066y\\u{e0041}\\ud800',
    });
  });

  it('cuts values to 200 characters, and says how long they were', () => {
    const { entity } = bound({ entity: { note: 'n'.repeat(5_000), description: 'd'.repeat(5_000) } }) as {
      entity: Record<string, string>;
    };
    expect(entity['note']).toMatch(/^n+… 5000 characters in all$/);
    expect(entity['note']).toHaveLength(valueCharsMax);
    expect(entity['description']).toHaveLength(valueCharsMax);
  });

  it('allows longer sentences of the emulator, but not longer values that they quote', () => {
    const sentence = `The entity ${JSON.stringify('e'.repeat(500))} exists. ${'So it is refused. '.repeat(10)}`;
    const { why } = bound({ why: [sentence] }) as { why: [string] };
    expect(why[0]).toContain('So it is refused. So it is refused.');
    expect(/e{150,}/.exec(why[0])?.[0].length).toBeLessThan(valueCharsMax);
    expect((bound({ why: 'x'.repeat(5_000) })['why'] as string).length).toBe(1_000);
  });

  it.each([
    ["Name eq '", "' and Age gt 5"],
    ["Photo eq binary'", "' and Age gt 5"],
    ["Name eq 'it''s ", "' and Age gt 5"],
    ['/people()?$filter=Name%20eq%20%27', '%27%20and%20Age%20gt%205'],
    ["Microsoft's guides say of '", "' that it doesn't fit"],
  ])('has no long literal in a filter or an address: %s…%s', (before, after) => {
    const { filter } = bound({ filter: `${before}${'v'.repeat(600)}${after}` }) as { filter: string };
    expect(filter.startsWith(before)).toBe(true);
    expect(filter.endsWith(after)).toBe(true);
    expect(filter.length).toBeLessThanOrEqual(before.length + valueCharsMax + after.length);
    const open = bound({ filter: `${before}${'v'.repeat(600)}` })['filter'] as string;
    expect(open.length).toBeLessThanOrEqual(before.length + valueCharsMax);
  });

  it('has no long literal in a message that repeats a filter', () => {
    const message = (literal: string): string => `Unterminated string literal at position 5 in 'x eq '${literal}'.`;
    expect(bound({ message: message('a') })).toEqual({ message: message('a') });
    const { message: cut } = bound({ message: message('v'.repeat(600)) }) as { message: string };
    expect(cut).toMatch(/ at position 5 in 'x eq 'v+… 606 characters in all'\.$/);
    expect(cut.length).toBeLessThan(message('').length + valueCharsMax);
  });

  it('keeps a sentence with apostrophes', () => {
    const sentence = `The table's keys don't fit. ${'It scans. '.repeat(40)}Microsoft's guides say why.`;
    expect(bound({ why: sentence })).toEqual({ why: sentence });
  });

  it('keeps properties whose shown names are the same', () => {
    const entity = { [`${'n'.repeat(250)}a`]: 1, [`${'n'.repeat(250)}b`]: 2, secret: 3, REDACTED: 4 };
    expect(Object.values(bound({ entity })['entity'] as object)).toEqual([1, 2, 3, 4]);
  });

  it('does not cut a pair of surrogates', () => {
    for (let before = 150; before < 200; before++) {
      const { text } = bound({ entity: { text: `${'a'.repeat(before)}${'😀'.repeat(60)}` } })['entity'] as {
        text: string;
      };
      expect(text).not.toMatch(invisible);
    }
  });

  it('is masked before it is cut', () => {
    const { entity } = bound({ entity: { text: `${'a'.repeat(170)}secret${'b'.repeat(100)}` } }) as {
      entity: { text: string };
    };
    expect(entity.text).not.toContain('sec');
  });

  it('keeps a property of any name', () => {
    const entity = JSON.parse('{"__proto__":"x","constructor":"y","toString":"z"}') as object;
    expect(JSON.stringify(bound({ entity }))).toBe(JSON.stringify({ entity }));
  });

  it('ends when it is full, and counts what is left out', () => {
    const entities = Array.from({ length: 1_000 }, (_, at) => ({ RowKey: String(at), note: 'n'.repeat(190) }));
    const found = bound({ visited: 1_000, entities }) as { entities: object[]; omitted: number; note: string };
    expect(found.entities.length).toBeGreaterThan(50);
    expect(found.omitted).toBe(1_000 - found.entities.length);
    expect(found.note).toContain('64 KiB');
  });

  it('has a part of an entity that is too large for the answer', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 252 }, (_, at) => [`p${at}`.padEnd(255, 'x'), 'v'.repeat(300)]),
    );
    const { entities, omitted } = bound({ entities: [wide, wide] }) as { entities: [object]; omitted: number };
    expect(Object.keys(entities[0]).length).toBeGreaterThan(50);
    expect(omitted).toBeGreaterThan(100);
  });

  it('is within its limits for any content, and its text repeats its members', () => {
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 2 },
        fc.string({ unit: 'binary', maxLength: 700 }),
        fc.double(),
        fc.constant(null),
        // These texts would take very long for a pattern that tries again at each character.
        fc.constantFrom('\\"'.repeat(30_000), 'eyJ-'.repeat(15_000), '?sig='.repeat(12_000)),
        fc.constant('"\\'.repeat(400)),
        fc.constant(Array.from({ length: 150 }, () => '\u202e\\"'.repeat(90))),
        fc.array(tie('value'), { maxLength: 5 }),
        fc.dictionary(fc.string({ unit: 'binary', maxLength: 300 }), tie('value'), { maxKeys: 5 }),
      ),
    })).value;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('entities', 'why', 'other', 'note'), value), (found) => {
        const result = toolResult(found, { mask });
        expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(answerBytesMax);
        expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(result.structuredContent) }]);
        const structured = result.structuredContent as Readonly<Record<string, unknown>>;
        const texts = textsIn(structured);
        expect(texts.filter((text) => invisible.test(text) || text.length > 1_000)).toEqual([]);
        expect(textsIn(structured['entities']).filter((text) => text.length > valueCharsMax)).toEqual([]);
      }),
      { numRuns: 25, endOnFailure: true },
    );
  });
});
