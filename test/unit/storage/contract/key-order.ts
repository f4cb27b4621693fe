import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareKeys, type EntityKey } from '../../../../src/model/entity.ts';
import { contentsOf, insertion, keyOf, tableNamed } from '../../../support/entities.ts';
import type { Given } from './given.ts';

// Characters whose order depends on the encoding, and characters that are special in an encoding or a statement. UTF-16
// sorts astral characters before U+E000, while UTF-8 and code points sort them after U+FFFF. The special characters are
// U+10FFFF, U+0000, U+0001 and quotes. Empty keys are special too.
const oddCharacters = [
  '\u0000',
  '\u0001',
  "'",
  '"',
  ' ',
  '%',
  'a',
  'B',
  'é',
  '\ud7ff',
  '\ue000',
  '\ufeff',
  '\ufffd',
  '\uffff',
  '\u{10000}',
  '\u{1f600}',
  '\u{10fffe}',
  '\u{10ffff}',
];

const keyPart = fc.oneof(
  fc.string({ unit: fc.constantFrom(...oddCharacters), maxLength: 4 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const keys = fc.uniqueArray(fc.tuple(keyPart, keyPart), {
  selector: ([partitionKey, rowKey]) => JSON.stringify([partitionKey, rowKey]),
  minLength: 2,
  maxLength: 30,
});

const keysOnly = ({ partitionKey, rowKey }: EntityKey): EntityKey => ({ partitionKey, rowKey });

export function describeKeyOrder(given: () => Given): void {
  it('promise 7: entities are in the order of UTF-16 code units, for any keys and pages', async () => {
    const { account } = given();
    const holds = fc.asyncProperty(keys, fc.integer({ min: 1, max: 31 }), async (pairs, limit) => {
      const written = pairs.map(([partitionKey, rowKey]) => keyOf(partitionKey, rowKey));
      await account.createTable(tableNamed('Keys'));
      await account.apply(
        'Keys',
        written.map((key) => insertion(key)),
      );
      const read = await contentsOf(account, 'Keys', limit);
      await account.deleteTable('Keys');
      expect(read.map(keysOnly)).toEqual(written.toSorted(compareKeys));
    });
    await fc.assert(holds, { numRuns: 150 });
  });

  it('promise 7: each pair of special characters is in order, at the beginning and after a common prefix', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Keys'));
    const parts = ['', ...oddCharacters, ...oddCharacters.flatMap((a) => oddCharacters.map((b) => a + b))];
    const written = parts.map((rowKey) => keyOf('p', rowKey));
    await account.apply(
      'Keys',
      written.map((key) => insertion(key)),
    );
    const read = await contentsOf(account, 'Keys', 1000);
    expect(read.map(({ rowKey }) => rowKey)).toEqual(parts.toSorted());
  });

  it('promise 10: an entity is found under its own key and under no other', async () => {
    const { account } = given();
    const holds = fc.asyncProperty(keyPart, keyPart, async (one, other) => {
      await account.createTable(tableNamed('Keys'));
      await account.apply('Keys', [insertion(keyOf(one, other))]);
      const there = await account.get('Keys', keyOf(one, other));
      const swapped = await account.get('Keys', keyOf(other, one));
      await account.deleteTable('Keys');
      expect(there).toMatchObject({ kind: 'found', entity: keyOf(one, other) });
      expect(swapped.kind).toBe(one === other ? 'found' : 'missing');
    });
    await fc.assert(holds, { numRuns: 100 });
  });
}
