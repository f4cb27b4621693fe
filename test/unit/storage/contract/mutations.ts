import { expect, it } from 'vitest';
import type { IfMatch } from '../../../../src/model/etag.ts';
import type { Mutation } from '../../../../src/model/mutation.ts';
import type { Properties } from '../../../../src/model/properties.ts';
import { formatTicks } from '../../../../src/model/ticks.ts';
import type { MutationRefusal } from '../../../../src/storage/store.ts';
import {
  anyState,
  contentsOf,
  entitiesOf,
  insertion,
  keyOf,
  propertiesOf,
  tableNamed,
  texts,
  ticksOf,
  write,
} from '../../../support/entities.ts';
import type { Given } from './given.ts';

const key = keyOf('cats', 'tom');
const old = texts({ Age: '3', Colour: 'grey' });
const sent = texts({ Age: '4', Name: 'Tom' });
const laidOver = texts({ Age: '4', Colour: 'grey', Name: 'Tom' });

type Condition = 'any' | 'current' | 'stale';
type State = 'missing' | 'present';
/** The properties of the entity afterwards, or the refusal. */
type Result = Properties | 'nothing' | MutationRefusal;

/** Each kind of mutation, under each condition that it can have, on a missing and on an existing entity. */
const rows: readonly (readonly [Mutation['kind'], Condition | 'no', State, Result])[] = [
  ['insert', 'no', 'missing', sent],
  ['insert', 'no', 'present', 'exists'],
  ['insertOrReplace', 'no', 'missing', sent],
  ['insertOrReplace', 'no', 'present', sent],
  ['insertOrMerge', 'no', 'missing', sent],
  ['insertOrMerge', 'no', 'present', laidOver],
  ['replace', 'any', 'missing', 'missing'],
  ['replace', 'stale', 'missing', 'missing'],
  ['replace', 'any', 'present', sent],
  ['replace', 'current', 'present', sent],
  ['replace', 'stale', 'present', 'stale'],
  ['merge', 'any', 'missing', 'missing'],
  ['merge', 'stale', 'missing', 'missing'],
  ['merge', 'any', 'present', laidOver],
  ['merge', 'current', 'present', laidOver],
  ['merge', 'stale', 'present', 'stale'],
  ['delete', 'any', 'missing', 'missing'],
  ['delete', 'stale', 'missing', 'missing'],
  ['delete', 'any', 'present', 'nothing'],
  ['delete', 'current', 'present', 'nothing'],
  ['delete', 'stale', 'present', 'stale'],
];

function mutationOf(kind: Mutation['kind'], ifMatch: IfMatch): Mutation {
  if (kind === 'delete') return { kind, ...key, ifMatch };
  if (kind === 'replace' || kind === 'merge') return { kind, ...key, properties: sent, ifMatch };
  return { kind, ...key, properties: sent };
}

/** The condition as an ETag. ETags differ by only one tick, because the smallest difference makes an ETag stale. */
function ifMatchOf(condition: Condition | 'no', timestamp: string): IfMatch {
  if (condition === 'any' || condition === 'no') return anyState;
  return { kind: 'unchanged', since: formatTicks(ticksOf(timestamp) - (condition === 'stale' ? 1n : 0n)) };
}

const isRefusal = (result: Result): result is MutationRefusal => typeof result === 'string' && result !== 'nothing';

/**
 * Puts the entity into the given state, and returns its timestamp. If the state is `missing`, returns the timestamp of
 * another entity.
 */
async function prepare({ account }: Given, state: State): Promise<string> {
  await account.createTable(tableNamed('Pets'));
  const neighbour = await write(account, 'Pets', insertion(keyOf('cats', 'felix')));
  return state === 'missing' ? neighbour : write(account, 'Pets', insertion(key, old));
}

export function describeMutations(given: () => Given): void {
  const refusals = rows.filter(([, , , result]) => isRefusal(result));
  it.each(refusals)(
    'promise 3: %s under condition %s on a %s entity answers %s and changes nothing',
    async (...row) => {
      const [kind, condition, state, result] = row;
      const { account } = given();
      const timestamp = await prepare(given(), state);
      const before = await contentsOf(account, 'Pets');
      const outcome = await account.apply('Pets', [mutationOf(kind, ifMatchOf(condition, timestamp))]);
      const current = result === 'stale' ? { current: timestamp } : {};
      expect(outcome).toEqual({ kind: result, ...current, failedAt: 0 });
      expect(await contentsOf(account, 'Pets')).toEqual(before);
    },
  );

  const writes = rows.filter(([, , , result]) => !isRefusal(result));
  it.each(writes)('promise 6: %s under condition %s on a %s entity is seen by the next read', async (...row) => {
    const [kind, condition, state, result] = row;
    const { account } = given();
    const timestamp = await prepare(given(), state);
    const [applied] = entitiesOf(await account.apply('Pets', [mutationOf(kind, ifMatchOf(condition, timestamp))]));
    const found = await account.get('Pets', key);
    if (result === 'nothing') {
      expect(found).toEqual({ kind: 'missing' });
      expect(applied?.properties).toBe('');
      expect((await contentsOf(account, 'Pets')).map(({ rowKey }) => rowKey)).toEqual(['felix']);
    } else {
      expect(found).toEqual({ kind: 'found', entity: { ...key, ...applied } });
      expect(await propertiesOf(account, 'Pets', key)).toEqual(result);
      expect(await contentsOf(account, 'Pets')).toContainEqual({ ...key, ...applied });
    }
  });

  it('promise 3: every operation on a missing table returns tableMissing', async () => {
    const { account } = given();
    expect(await account.apply('Pets', [insertion(key)])).toEqual({ kind: 'tableMissing' });
    expect(await account.apply('Pets', [])).toEqual({ kind: 'tableMissing' });
    expect(await account.get('Pets', key)).toEqual({ kind: 'tableMissing' });
    expect(await account.scan({ table: 'Pets', range: {}, limit: 1, bytesMax: 1, timeMsMax: 5000 })).toEqual({
      kind: 'tableMissing',
    });
    expect(await account.deleteTable('Pets')).toEqual({ kind: 'missing' });
    expect(await account.findTable('Pets')).toEqual({ kind: 'tableMissing' });
  });

  it('promise 3: exactly one of many inserts of a key in one turn is applied', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Pets'));
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        account.apply('Pets', [insertion(key, texts({ Writer: String(index) }))]),
      ),
    );
    const winner = outcomes.findIndex(({ kind }) => kind === 'applied');
    const kinds = outcomes.toSpliced(winner, 1).map(({ kind }) => kind);
    expect(kinds).toEqual(Array<string>(19).fill('exists'));
    expect(await propertiesOf(account, 'Pets', key)).toEqual(texts({ Writer: String(winner) }));
  });

  it('promise 3: exactly one of many changes with the same ETag in one turn is applied', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Pets'));
    const ifMatch = ifMatchOf('current', await write(account, 'Pets', insertion(key, old)));
    const kinds = ['merge', 'replace', 'delete', 'merge', 'replace'] as const;
    const outcomes = await Promise.all(kinds.map((kind) => account.apply('Pets', [mutationOf(kind, ifMatch)])));
    const winner = outcomes.findIndex(({ kind }) => kind === 'applied');
    const refusal = kinds[winner] === 'delete' ? ['missing', 'stale'] : ['stale'];
    for (const { kind } of outcomes.toSpliced(winner, 1)) expect(refusal).toContain(kind);
  });

  it('promise 6: merges of one turn all take effect', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Pets'));
    const names = Array.from({ length: 20 }, (_, index) => `P${String(index).padStart(2, '0')}`);
    await Promise.all(
      names.map((name) =>
        account.apply('Pets', [{ kind: 'insertOrMerge', ...key, properties: texts({ [name]: name }) }]),
      ),
    );
    expect(await propertiesOf(account, 'Pets', key)).toEqual(texts(Object.fromEntries(names.map((n) => [n, n]))));
  });
}
