import { expect, it } from 'vitest';
import { entityBytesMax, propertiesMax } from '../../../../src/model/limits.ts';
import type { Mutation } from '../../../../src/model/mutation.ts';
import type { Properties } from '../../../../src/model/properties.ts';
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
  textValue,
  unchangedSince,
  write,
} from '../../../support/entities.ts';
import type { Given } from './given.ts';

const present = keyOf('cats', 'present');
const absent = keyOf('cats', 'absent');
const longAgo = unchangedSince('2001-01-01T00:00:00Z');

/** Properties with the names `<prefix>0`, `<prefix>1` and so on. */
function manyProperties(prefix: string, count: number): Properties {
  return new Map(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, textValue('x')]));
}

/** For each refusal, a mutation that causes it on an entity of half the maximum size. */
const refused: Readonly<Record<MutationRefusal, Mutation>> = {
  exists: insertion(present),
  missing: { kind: 'merge', ...absent, properties: texts({ Value: 'new' }), ifMatch: anyState },
  stale: { kind: 'replace', ...present, properties: texts({ Value: 'new' }), ifMatch: longAgo },
  tooManyProperties: { kind: 'insertOrMerge', ...present, properties: manyProperties('Other', propertiesMax - 1) },
  tooLarge: { kind: 'merge', ...present, properties: largeProperties('Other'), ifMatch: anyState },
};

/** Properties with slightly more than half of the maximum size of an entity. */
function largeProperties(prefix: string): Properties {
  const chars = 32_000;
  const count = Math.ceil(entityBytesMax / 2 / (2 * chars));
  return new Map(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, textValue('x'.repeat(chars))]));
}

async function givenPets({ account }: Given): Promise<void> {
  await account.createTable(tableNamed('Pets'));
  await write(account, 'Pets', insertion(present, largeProperties('Own')));
  await write(account, 'Pets', insertion(keyOf('cats', 'second')));
}

const accepted = (index: number): Mutation => insertion(keyOf('cats', `new${index}`));

export function describeAtomicity(given: () => Given): void {
  it('promise 2: an apply of every kind of mutation is atomic', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Pets'));
    for (const rowKey of ['b', 'c', 'd', 'e', 'f']) {
      await write(account, 'Pets', insertion(keyOf('cats', rowKey), texts({ Old: rowKey })));
    }
    const properties = texts({ New: 'x' });
    const outcome = await account.apply('Pets', [
      { kind: 'insert', ...keyOf('cats', 'a'), properties },
      { kind: 'replace', ...keyOf('cats', 'b'), properties, ifMatch: anyState },
      { kind: 'merge', ...keyOf('cats', 'c'), properties, ifMatch: anyState },
      { kind: 'insertOrReplace', ...keyOf('cats', 'd'), properties },
      { kind: 'insertOrMerge', ...keyOf('cats', 'e'), properties },
      { kind: 'delete', ...keyOf('cats', 'f'), ifMatch: anyState },
    ]);
    const applied = entitiesOf(outcome);
    const contents = await contentsOf(account, 'Pets');
    expect(contents.map(({ rowKey }) => rowKey)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(contents.map(({ timestamp, properties: text }) => ({ timestamp, properties: text }))).toEqual(
      applied.slice(0, 5),
    );
    expect(await propertiesOf(account, 'Pets', keyOf('cats', 'c'))).toEqual(texts({ New: 'x', Old: 'c' }));
    expect(applied).toHaveLength(6);
  });

  it('promise 2: an apply of no mutations is applied and changes nothing', async () => {
    await givenPets(given());
    const { account } = given();
    const before = await contentsOf(account, 'Pets');
    expect(await account.apply('Pets', [])).toEqual({ kind: 'applied', entities: [] });
    expect(await contentsOf(account, 'Pets')).toEqual(before);
  });

  const cases = Object.entries(refused).flatMap(([kind, mutation]) =>
    [0, 2, 4].map((failedAt) => ({ kind, mutation, failedAt })),
  );
  it.each(cases)(
    'promise 2: a mutation refused as $kind at index $failedAt of 5 undoes the others',
    async (refusal) => {
      const { kind, mutation, failedAt } = refusal;
      await givenPets(given());
      const { account } = given();
      const before = await contentsOf(account, 'Pets');
      const mutations = Array.from({ length: 5 }, (_, index) => (index === failedAt ? mutation : accepted(index)));
      expect(await account.apply('Pets', mutations)).toMatchObject({ kind, failedAt });
      expect(await contentsOf(account, 'Pets')).toEqual(before);
    },
  );

  it('promise 2: a refused apply between accepted ones of the same turn undoes only itself', async () => {
    await givenPets(given());
    const { account } = given();
    const outcomes = await Promise.all([
      account.apply('Pets', [accepted(1), accepted(2)]),
      account.apply('Pets', [accepted(3), refused.exists, accepted(4)]),
      account.apply('Pets', [accepted(5)]),
      account.apply('Pets', [refused.missing]),
      account.apply('Pets', [accepted(6), accepted(7)]),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['applied', 'exists', 'applied', 'missing', 'applied']);
    const names = (await contentsOf(account, 'Pets')).map(({ rowKey }) => rowKey);
    expect(names).toEqual(['new1', 'new2', 'new5', 'new6', 'new7', 'present', 'second']);
  });

  it('promise 6: a read during an apply sees all of its changes or none', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Pets'));
    const underWay = account.apply('Pets', [accepted(1), accepted(2), accepted(3)]);
    let isAnswered = false;
    const answered = underWay.then(() => (isAnswered = true));
    const seen = new Set<number>();
    while (!isAnswered) {
      seen.add((await contentsOf(account, 'Pets')).length);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await answered;
    seen.add((await contentsOf(account, 'Pets')).length);
    expect([...seen].filter((count) => count !== 0)).toEqual([3]);
  });

  it('promise 6: a read that begins after a write was answered sees it, during other operations', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Pets'));
    const work = async (partitionKey: string): Promise<void> => {
      for (let round = 0; round < 20; round++) {
        const key = keyOf(partitionKey, 'row');
        const properties = texts({ Round: String(round) });
        const early = account.get('Pets', key);
        const timestamp = await write(account, 'Pets', { kind: 'insertOrReplace', ...key, properties });
        expect(await account.get('Pets', key)).toMatchObject({ kind: 'found', entity: { timestamp } });
        expect(await propertiesOf(account, 'Pets', key)).toEqual(properties);
        await early;
      }
    };
    await Promise.all(Array.from({ length: 10 }, (_, worker) => work(`worker${worker}`)));
    expect(await contentsOf(account, 'Pets')).toHaveLength(10);
  });
}
