// The steps of a random sequence, as data that does not depend on a store.

import fc from 'fast-check';
import type { EntityKey } from '../../../src/model/entity.ts';
import type { Mutation } from '../../../src/model/mutation.ts';
import type { Properties } from '../../../src/model/properties.ts';
import { keyOf, textValue } from '../../support/entities.ts';

/**
 * The ETag on which a change is conditional. `any` means no ETag, `current` means the ETag of the entity before the
 * step, and `stale` means an earlier ETag, which need not have existed.
 */
export type Condition = 'any' | 'current' | 'stale';

export interface Change {
  readonly kind: Mutation['kind'];
  readonly key: EntityKey;
  readonly properties: Properties;
  readonly condition: Condition;
}

export interface Apply {
  readonly table: string;
  readonly changes: readonly Change[];
}

export type Step =
  | { readonly kind: 'createTable' | 'deleteTable' | 'clearTable'; readonly table: string }
  | { readonly kind: 'clear' }
  /** Applies that all begin in one turn. If `closing`, the store is also closed in that turn, and opened again. */
  | { readonly kind: 'burst'; readonly applies: readonly Apply[]; readonly closing: boolean }
  | { readonly kind: 'get'; readonly table: string; readonly key: EntityKey }
  | {
      readonly kind: 'page';
      readonly table: string;
      readonly from: EntityKey;
      readonly limit: number;
      readonly bytesMax: number;
    }
  | { readonly kind: 'tables'; readonly from: string; readonly limit: number }
  | { readonly kind: 'clock'; readonly ms: number }
  | { readonly kind: 'save' | 'restore'; readonly name: string; readonly table: string | undefined }
  | { readonly kind: 'deleteSnapshot'; readonly name: string };

/** Only few names and keys, so that steps affect each other. Some names differ only in case. */
const table = fc.constantFrom('Pets', 'Pets', 'pets', 'Plants', 'PLANTS', 'Empty');
const key = fc
  .tuple(fc.constantFrom('', '\ue000', '\u{10000}'), fc.constantFrom("o'b", '\uffff'))
  .map(([partitionKey, rowKey]) => keyOf(partitionKey, rowKey));

const smallProperties: fc.Arbitrary<Properties> = fc
  .uniqueArray(fc.tuple(fc.constantFrom('A', 'B', 'C', 'Ä'), fc.string({ unit: 'binary', maxLength: 8 })), {
    selector: ([name]) => name,
  })
  .map((pairs) => new Map(pairs.map(([name, text]) => [name, textValue(text)])));

/** Two sets of properties, which together are more than an entity can have. */
const manyProperties: fc.Arbitrary<Properties> = fc.constantFrom(
  ...['M', 'N'].map((prefix) => new Map(Array.from({ length: 127 }, (_, index) => [prefix + index, textValue('')]))),
);

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom(
    'insert',
    'replace',
    'merge',
    'merge',
    'insertOrReplace',
    'insertOrMerge',
    'insertOrMerge',
    'delete',
  ),
  key,
  properties: fc.oneof({ weight: 9, arbitrary: smallProperties }, { weight: 1, arbitrary: manyProperties }),
  condition: fc.constantFrom('any', 'current', 'current', 'stale'),
});

const apply: fc.Arbitrary<Apply> = fc.record({
  table,
  changes: fc.oneof(
    { weight: 3, arbitrary: fc.array(change, { minLength: 1, maxLength: 1 }) },
    { weight: 2, arbitrary: fc.array(change, { minLength: 2, maxLength: 5 }) },
  ),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('createTable' as const), table }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deleteTable' as const), table }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clearTable' as const), table }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const) }) },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('burst' as const),
      applies: fc.array(apply, { minLength: 1, maxLength: 5 }),
      closing: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('get' as const), table, key }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('page' as const),
      table,
      from: key,
      limit: fc.integer({ min: 1, max: 8 }),
      bytesMax: fc.constantFrom(1, 50, 1 << 20),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('tables' as const),
      from: fc.constantFrom('', 'pets', 'plants', 'q'),
      limit: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('clock' as const), ms: fc.constantFrom(1, 1000, -1, -5000) }) },
);

const snapshotName = fc.constantFrom('one', 'two');
const snapshotStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('save' as const, 'restore' as const, 'restore' as const),
      name: snapshotName,
      table: fc.option(table, { nil: undefined, freq: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deleteSnapshot' as const), name: snapshotName }) },
);

/** A sequence begins with two tables and a few entities, so that its first steps have data. */
const sequencesOf = (steps: fc.Arbitrary<readonly Step[]>): fc.Arbitrary<readonly Step[]> =>
  fc
    .tuple(fc.array(apply, { minLength: 3, maxLength: 6 }), steps)
    .map(([applies, rest]) => [
      { kind: 'createTable', table: 'Pets' },
      { kind: 'createTable', table: 'Plants' },
      { kind: 'burst', applies: applies.map(asUpserts), closing: false },
      ...rest,
    ]);

export const sequences = sequencesOf(fc.array(step, { minLength: 10, maxLength: 25 }));

/**
 * Sequences that also save and restore snapshots. They save the first snapshot directly after the first burst of
 * writes.
 */
export const snapshotSequences = sequencesOf(
  fc
    .array(fc.oneof({ weight: 2, arbitrary: step.map(asOneTable) }, { weight: 1, arbitrary: snapshotStep }), {
      minLength: 10,
      maxLength: 25,
    })
    .map((steps) => [{ kind: 'save', name: 'one', table: undefined }, ...steps]),
);

/**
 * Makes all writes of a burst use one table. In a burst over several tables, a write may wait until its table is copied
 * (TableCopies), and would then take effect after later writes to other tables. The reference store could not reproduce
 * this, because it knows only the order of the calls.
 */
function asOneTable(given: Step): Step {
  const [first] = given.kind === 'burst' ? given.applies : [];
  if (given.kind !== 'burst' || !first) return given;
  return { ...given, applies: given.applies.map((one) => ({ ...one, table: first.table })) };
}

function asUpserts({ table, changes }: Apply): Apply {
  return { table, changes: changes.map((change) => ({ ...change, kind: 'insertOrReplace' })) };
}
