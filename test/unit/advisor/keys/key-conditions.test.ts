import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AskedQuery, createQueryReader } from '../../../../src/advisor/keys/query-groups.ts';
import { simulateKeys } from '../../../../src/advisor/keys/simulate-keys.ts';
import { simulateTexts } from '../../../../src/advisor/keys/simulate-texts.ts';
import type { EdmValue } from '../../../../src/model/edm.ts';

const nextTurn = async (): Promise<void> => undefined;
const text = (value: string): EdmValue => ({ type: 'Edm.String', value });

// Values of several types. Some of their texts are prefixes of others, or next to others in the order.
const values = fc.oneof(
  fc.constantFrom('', 'a', 'ab', 'abc', 'b', 'a_', '_', 'a\u00ff').map(text),
  fc.integer({ min: -2, max: 12 }).map((value): EdmValue => ({ type: 'Edm.Int32', value })),
  fc.integer({ min: -2, max: 12 }).map((value): EdmValue => ({ type: 'Edm.Int64', value: BigInt(value) })),
  fc.integer({ min: -2, max: 4 }).map((value): EdmValue => ({ type: 'Edm.Double', value: value / 2 })),
  fc
    .integer({ min: 0, max: 3 })
    .map(
      (day): EdmValue => ({ type: 'Edm.DateTime', value: 639_000_000_000_000_000n + BigInt(day) * 300_000_000_000n }),
    ),
  fc.boolean().map((value): EdmValue => ({ type: 'Edm.Boolean', value })),
);
const entities = fc.array(
  fc.record({ A: fc.option(values, { nil: undefined }), B: fc.option(values, { nil: undefined }) }),
  { minLength: 1, maxLength: 12 },
);
const literals = fc.constantFrom(
  "'a'",
  "'ab'",
  "''",
  "'b'",
  '1',
  '5L',
  '10',
  '-1',
  '0.5',
  'NaN',
  'true',
  "datetime'2025-12-03T00:00:00Z'",
  "datetime'2025-12-04T08:00:00Z'",
);
const comparisons = fc
  .tuple(fc.constantFrom('A', 'B'), fc.constantFrom('eq', 'ne', 'lt', 'le', 'gt', 'ge'), literals)
  .map((parts) => parts.join(' '));
const terms = fc.oneof(
  { weight: 5, arbitrary: comparisons },
  { weight: 1, arbitrary: fc.constantFrom('A', 'not B', 'not (A eq 1)') },
  { weight: 1, arbitrary: fc.tuple(comparisons, comparisons).map(([a, b]) => `(${a} or ${b})`) },
);
const filters = fc.array(terms, { minLength: 1, maxLength: 3 }).map((list) => list.join(' and '));
const parts = fc.constantFrom(
  '{A}',
  '{B}',
  '{A:00}',
  '{B:0000}',
  '{A:inverted}',
  '{A:yyyyMMdd}',
  '{B:ticks}',
  '{A:lower}',
  '{hash(A,3)}',
  '{hash(B,2)}',
  'x',
  '_',
  'a',
);
const keys = fc.array(parts, { maxLength: 3 }).map((list) => list.join(''));

const read = createQueryReader();

describe('the filters of a design', () => {
  it('select the same entities as the filter of the application, for any keys and entities', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(entities, keys, keys, filters, async (rows, partitionKey, rowKey, filter) => {
        let query: AskedQuery;
        try {
          query = read({ filter });
        } catch {
          return;
        }
        const sample = rows.map(
          (row, at) =>
            new Map<string, EdmValue>([
              ...Object.entries(row).flatMap(([name, value]) => (value ? [[name, value] as [string, EdmValue]] : [])),
              ['Number', { type: 'Edm.Int32', value: at }],
            ]),
        );
        const options = {
          queries: [query],
          settings: {},
          targets: { account: 20, partition: 2 },
          pause: () => undefined,
        };
        try {
          const design = await simulateKeys({
            ...options,
            entities: sample,
            partitionKey,
            rowKey: `${rowKey}~{Number}`,
          });
          // The design can only find entities that it can store.
          const stored = sample.filter((entity) => fits(entity, `${partitionKey}${rowKey}`));
          if (stored.length !== design.tables[0]?.distribution.entities) return;
          const plain = await simulateKeys({ ...options, entities: stored, partitionKey: '', rowKey: '{Number}' });
          expect(design.queries[0]?.design.returned, design.queries[0]?.design.filters.join('\n')).toBe(
            plain.queries[0]?.design.returned,
          );
          compared += 1;
        } catch (error) {
          if (error instanceof Error && /^(no entity has|there is no entity)/.test(error.message)) return;
          throw error;
        }
      }),
      { numRuns: 600, seed: 38 },
    );
    expect(compared).toBeGreaterThan(100);
  });
});

/**
 * Whether the entity has all properties that the key needs. Even so, the design does not store an entity with a value
 * that is unsuitable for the key. In that case, the test makes no comparison.
 */
function fits(entity: ReadonlyMap<string, EdmValue>, key: string): boolean {
  return ['A', 'B'].every((name) => !new RegExp(`[{(]${name}[}:,]`).test(key) || entity.has(name));
}

describe('a design', () => {
  const employees = Array.from(
    { length: 300 },
    (_, at) =>
      new Map([
        ['Id', { type: 'Edm.Int32', value: at + 1 } as EdmValue],
        ['Name', text(`n${at % 7}`)],
        [
          'Hired',
          { type: 'Edm.DateTime', value: 639_000_000_000_000_000n + BigInt(at) * 864_000_000_000n } as EdmValue,
        ],
      ]),
  );
  const simulate = (design: { partitionKey: string; rowKey: string }, filter = '') =>
    simulateTexts({ ...design, entities: employees, queries: [{ filter }], nextTurn, givenOrder: 'as given' });

  it('with new partitions that only grow, or only fall, gets the same verdict as from the advisor', async () => {
    const patternOf = async (partitionKey: string) =>
      (await simulate({ partitionKey, rowKey: '{Id}' })).tables[0]?.distribution;
    expect(await patternOf('{Hired:yyyyMMdd}')).toMatchObject({
      keyPattern: 'append-only',
      findings: [{ rule: 'append-only-keys' }, { rule: 'unpadded-numbers' }],
    });
    expect((await patternOf('{Hired:inverted}'))?.keyPattern).toBe('prepend-only');
    expect((await patternOf('{hash(Id,900)}'))?.keyPattern).toBe('spread');
    expect((await patternOf('{Name}'))?.keyPattern).toBe(null);
  });

  it('names entities with the same keys, keys that the service refuses and properties that are missing', async () => {
    const problemsOf = async (partitionKey: string, rowKey: string) =>
      (await simulate({ partitionKey, rowKey })).tables[0]?.problems;
    expect(await problemsOf('{Name}', '')).toMatchObject([
      { kind: 'collision', entities: 293, key: { partitionKey: 'n0', rowKey: '' } },
    ]);
    expect(await problemsOf('{Name}', 'a/{Id}')).toMatchObject([
      { kind: 'refused', entities: 300, reason: expect.stringContaining('OutOfRangeInput') },
    ]);
    expect(await problemsOf('{Id:00}', '')).toMatchObject([{ kind: 'unfit', entities: 201 }]);
    await expect(simulate({ partitionKey: '{name}', rowKey: '' })).rejects.toThrow(
      'no entity has name, but Name: case counts',
    );
    await expect(simulate({ partitionKey: '{Nick}', rowKey: '' })).rejects.toThrow(
      'no entity has Nick; they have Id, Name, Hired',
    );
  });

  it('refuses a filter that the service refuses, and names it', async () => {
    await expect(simulate({ partitionKey: '', rowKey: '{Id}' }, 'Id gt')).rejects.toThrow(
      /the service refuses "Id gt": 400 InvalidInput/,
    );
  });

  it('drops conditions that the range of keys expresses exactly, and keeps the others', async () => {
    const filterOf = async (rowKey: string, filter: string) =>
      (await simulate({ partitionKey: 'p', rowKey }, filter)).queries[0]?.design.filters;
    expect(await filterOf('{Id:0000}', 'Id gt 5 and Id lt 20')).toEqual([
      "PartitionKey eq 'p' and RowKey ge '0006' and RowKey le '0019'",
    ]);
    expect(await filterOf('{Name}_{Id}', "Name eq 'n3'")).toEqual([
      "PartitionKey eq 'p' and RowKey ge 'n3_' and RowKey lt 'n3`' and Name eq 'n3'",
    ]);
    expect(await filterOf('{Name}_{Id}', "Name lt 'n3'")).toEqual(["PartitionKey eq 'p' and Name lt 'n3'"]);
    expect(await filterOf('{Id}', 'Id gt 5')).toEqual(["PartitionKey eq 'p' and Id gt 5"]);
  });

  it('refuses copies in one table if their RowKeys cannot be told apart', async () => {
    const index = { partitionKey: '{Name}', rowKey: 'id_x{Id}', isInSameTable: true };
    const request = { partitionKey: '{Name}', rowKey: 'id_{Id}', index, entities: employees, queries: [], nextTurn };
    await expect(simulateTexts(request)).rejects.toThrow(/RowKeys that begin with different texts/);
  });
});
