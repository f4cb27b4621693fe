import { describe, expect, it } from 'vitest';
import { type AccountStore, type ScanOutcome, snapshotsMax } from '../../../../src/storage/store.ts';
import {
  anyState,
  contentsOf,
  insertion,
  keyOf,
  tableNamed,
  texts,
  ticksOf,
  unchangedSince,
  write,
} from '../../../support/entities.ts';
import { comparison, int } from '../../query/filters.ts';
import type { Given } from './given.ts';

const key = keyOf('cats', 'tom');

/** Everything in the account that can be read. */
async function stateOf(account: AccountStore): Promise<unknown> {
  const { tables } = await account.listTables({ limit: 100 });
  const contents = tables.map(async ({ name }) => [await account.getTableAcl(name), await contentsOf(account, name)]);
  return { tables, contents: await Promise.all(contents), properties: await account.getServiceProperties() };
}

/** Makes two tables with a policy, and sets service properties. */
async function fill(account: AccountStore, rows = 3): Promise<void> {
  for (const name of ['Pets', 'Plants']) await account.createTable(tableNamed(name));
  for (let start = 0; start < rows; start += 100) {
    const keys = Array.from({ length: Math.min(100, rows - start) }, (_, at) => keyOf('cats', `${start + at}`));
    await account.apply(
      'Pets',
      keys.map((one) => insertion(one, new Map([['Number', int(start)]]))),
    );
  }
  await write(account, 'Plants', insertion(key));
  await account.setTableAcl({ table: 'Pets', acl: '[1]' });
  await account.updateServiceProperties(() => '{"a":1}');
}

/** Changes everything that `fill` made. */
async function spoil(account: AccountStore): Promise<void> {
  await write(account, 'Pets', insertion(key));
  await write(account, 'Pets', { kind: 'delete', ...keyOf('cats', '0'), ifMatch: anyState });
  await write(account, 'Pets', { kind: 'insertOrReplace', ...keyOf('cats', '1'), properties: texts({ New: 'yes' }) });
  await account.setTableAcl({ table: 'Pets', acl: '[2]' });
  await account.deleteTable('Plants');
  await account.createTable(tableNamed('Later'));
  await account.updateServiceProperties(() => '{"a":2}');
}

export function describeSnapshots(given: () => Given): void {
  describeRestores(given);
  describeScopes(given);
  describeNames(given);
  describeConcurrency(given);
}

function describeRestores(given: () => Given): void {
  it('promise 15: a restore restores entities, tables, policies and settings, any number of times', async () => {
    const { account } = given();
    await fill(account);
    const before = await stateOf(account);
    expect(await account.saveSnapshot({ name: 'base' })).toMatchObject({
      kind: 'saved',
      snapshot: { name: 'base', tables: 2 },
    });
    for (let round = 0; round < 3; round++) {
      await spoil(account);
      expect(await stateOf(account)).not.toEqual(before);
      expect(await account.restoreSnapshot({ name: 'base' })).toMatchObject({
        kind: 'restored',
        snapshot: { name: 'base' },
      });
      expect(await stateOf(account)).toEqual(before);
    }
  });

  it('promise 15: no write changes a snapshot, whatever the table or size of the write', async () => {
    const { account } = given();
    await fill(account, 1500);
    const before = await stateOf(account);
    await account.saveSnapshot({ name: 'base' });
    await Promise.all(
      Array.from({ length: 20 }, (_, at) => write(account, 'Pets', insertion(keyOf('dogs', String(at))))),
    );
    await account.clearTable('Plants');
    expect(await contentsOf(account, 'Pets')).toHaveLength(1520);
    await account.restoreSnapshot({ name: 'base' });
    expect(await stateOf(account)).toEqual(before);
  });

  it('promise 15: a restore after everything was cleared brings everything back', async () => {
    const { account } = given();
    await fill(account);
    const before = await stateOf(account);
    await account.saveSnapshot({ name: 'base' });
    await account.clear();
    expect(await account.listSnapshots()).toHaveLength(1);
    await account.createTable(tableNamed('Pets'));
    await account.restoreSnapshot({ name: 'base' });
    expect(await stateOf(account)).toEqual(before);
  });

  it('promise 15: an earlier ETag is valid again, and the ETag of a discarded write is not', async () => {
    const { account } = given();
    await fill(account);
    await account.saveSnapshot({ name: 'base' });
    const [first] = await contentsOf(account, 'Plants');
    const later = await write(account, 'Plants', { kind: 'insertOrReplace', ...key, properties: new Map() });
    await account.restoreSnapshot({ name: 'base' });
    const merge = { kind: 'merge', ...key, properties: new Map() } as const;
    expect(await account.apply('Plants', [{ ...merge, ifMatch: unchangedSince(later) }])).toMatchObject({
      kind: 'stale',
      current: first?.timestamp,
    });
    expect(
      await account.apply('Plants', [{ ...merge, ifMatch: unchangedSince(first?.timestamp ?? '') }]),
    ).toMatchObject({
      kind: 'applied',
    });
  });

  it('promise 5: timestamps increase strictly across a restore, even if the clock steps back', async () => {
    const { account, time } = given();
    await fill(account);
    await account.saveSnapshot({ name: 'base' });
    const before = await write(account, 'Pets', insertion(key));
    time.stepDate(-3_600_000);
    await account.restoreSnapshot({ name: 'base' });
    expect(ticksOf(await write(account, 'Pets', insertion(key)))).toBeGreaterThan(ticksOf(before));
  });

  it('promise 7: a filtered scan sees the restored entities', async () => {
    const { account } = given();
    await fill(account, 600);
    const seen = async (): Promise<unknown> => {
      const request = { range: {}, limit: 2000, bytesMax: 1 << 22, timeMsMax: 5000 };
      const page = await account.scan({ table: 'Pets', ...request, filter: comparison('Number', 'ge', int(0)) });
      return page.kind === 'page' ? page.entities.length : page.kind;
    };
    expect(await seen()).toBe(600);
    await account.saveSnapshot({ name: 'base' });
    expect(await seen()).toBe(600);
    await write(account, 'Pets', insertion(key, new Map([['Number', int(1)]])));
    expect(await seen()).toBe(601);
    await account.restoreSnapshot({ name: 'base' });
    expect(await seen()).toBe(600);
    await account.deleteTable('Pets');
    expect(await seen()).toBe('tableMissing');
    await account.restoreSnapshot({ name: 'base' });
    expect(await seen()).toBe(600);
  });
}

function describeScopes(given: () => Given): void {
  it('promise 15: one table of a full snapshot can be restored, even if it was deleted', async () => {
    const { account } = given();
    await fill(account);
    const [pets, tables] = [await contentsOf(account, 'Pets'), await account.listTables({ limit: 9 })];
    await account.saveSnapshot({ name: 'base' });
    await spoil(account);
    await account.restoreSnapshot({ name: 'base', table: 'PETS' });
    expect(await contentsOf(account, 'Pets')).toEqual(pets);
    expect(await account.getTableAcl('Pets')).toEqual({ kind: 'found', acl: '[1]' });
    expect(await account.findTable('Plants')).toEqual({ kind: 'tableMissing' });
    expect(await account.findTable('Later')).toMatchObject({ kind: 'found' });
    expect(await account.getServiceProperties()).toBe('{"a":2}');
    await account.deleteTable('Later');
    await account.restoreSnapshot({ name: 'base', table: 'Plants' });
    expect(await account.listTables({ limit: 9 })).toEqual(tables);
  });

  it('promise 15: a snapshot of one table restores only that table', async () => {
    const { account } = given();
    await fill(account);
    const plants = await contentsOf(account, 'Plants');
    expect(await account.saveSnapshot({ name: 'one', table: 'plants' })).toMatchObject({
      snapshot: { tables: 1, table: 'Plants' },
    });
    await spoil(account);
    expect(await account.restoreSnapshot({ name: 'one' })).toMatchObject({ kind: 'restored' });
    expect(await contentsOf(account, 'Plants')).toEqual(plants);
    expect(await contentsOf(account, 'Pets')).toHaveLength(3);
    expect(await account.getServiceProperties()).toBe('{"a":2}');
    expect(await account.restoreSnapshot({ name: 'one', table: 'Pets' })).toEqual({ kind: 'tableNotSaved' });
  });

  it('promise 15: snapshots of the same state are independent of each other', async () => {
    const { account } = given();
    await fill(account);
    const before = await stateOf(account);
    for (const name of ['one', 'two', 'three']) await account.saveSnapshot({ name });
    await account.deleteSnapshot('one');
    await spoil(account);
    await account.deleteSnapshot('three');
    await account.restoreSnapshot({ name: 'two' });
    expect(await stateOf(account)).toEqual(before);
    await account.deleteSnapshot('two');
    expect(await stateOf(account)).toEqual(before);
    await spoil(account);
    expect(await contentsOf(account, 'Pets')).toHaveLength(3);
  });

  it('promise 15: accounts have separate snapshots', async () => {
    const { account, store } = given();
    await fill(account);
    await account.saveSnapshot({ name: 'base' });
    const other = store.account('otheraccount');
    expect(await other.listSnapshots()).toEqual([]);
    expect(await other.restoreSnapshot({ name: 'base' })).toEqual({ kind: 'snapshotMissing' });
  });
}

function describeNames(given: () => Given): void {
  it('promise 15: a save under an existing name replaces the snapshot completely', async () => {
    const { account } = given();
    await fill(account);
    await account.saveSnapshot({ name: 'base', table: 'Plants' });
    await spoil(account);
    const later = await stateOf(account);
    await account.saveSnapshot({ name: 'base' });
    await account.clear();
    await account.restoreSnapshot({ name: 'base' });
    expect(await stateOf(account)).toEqual(later);
    expect(await account.listSnapshots()).toHaveLength(1);
  });

  it('promise 15: names can be any text, and are listed in order with the time of the save', async () => {
    const { account, time } = given();
    const names = ['../x', "'; DROP TABLE tables", 'Base', 'base', '\u00e4', '\ue000', '\u{10000}'];
    for (const name of names) {
      time.advance(1000);
      await account.saveSnapshot({ name });
    }
    const listed = await account.listSnapshots();
    expect(listed.map(({ name }) => name)).toEqual([...names].sort());
    expect(new Set(listed.map(({ savedAt }) => savedAt)).size).toBe(names.length);
    for (const name of names) expect(await account.restoreSnapshot({ name })).toMatchObject({ snapshot: { name } });
  });

  it('promise 15: a missing account, table or snapshot is named', async () => {
    const { account } = given();
    await fill(account);
    expect(await account.restoreSnapshot({ name: 'base' })).toEqual({ kind: 'snapshotMissing' });
    expect(await account.deleteSnapshot('base')).toEqual({ kind: 'snapshotMissing' });
    expect(await account.saveSnapshot({ name: 'base', table: 'Missing' })).toEqual({ kind: 'tableMissing' });
    expect(await account.listSnapshots()).toEqual([]);
    await account.saveSnapshot({ name: 'base' });
    expect(await account.restoreSnapshot({ name: 'base', table: 'Missing' })).toEqual({ kind: 'tableNotSaved' });
    expect(await account.deleteSnapshot('base')).toEqual({ kind: 'deleted' });
    expect(await account.deleteSnapshot('base')).toEqual({ kind: 'snapshotMissing' });
  });

  it('promise 15: their number is limited, and a save under an existing name does not count', async () => {
    const { account } = given();
    await Promise.all(Array.from({ length: snapshotsMax }, (_, at) => account.saveSnapshot({ name: `s${at}` })));
    expect(await account.saveSnapshot({ name: 'another' })).toEqual({ kind: 'tooManySnapshots' });
    expect(await account.saveSnapshot({ name: 's0' })).toMatchObject({ kind: 'saved' });
  });
}

/** Writers give all entities of a transaction the same number. A page with two numbers would mix two states. */
function describeConcurrency(given: () => Given): void {
  const rows = 300;
  const transaction = (number: number) =>
    Array.from(
      { length: 100 },
      (_, at) =>
        ({
          kind: 'insertOrReplace',
          ...keyOf('cats', String(at).padStart(3, '0')),
          properties: new Map([['Number', int(number)]]),
        }) as const,
    );
  const numbersOf = (page: ScanOutcome): string[] =>
    page.kind === 'page' ? [...new Set(page.entities.map(({ properties }) => properties))] : [];

  describe('promise 15: while other requests read and write', () => {
    it('no page mixes two states, and writes acknowledged before a restore are gone after it', async () => {
      const { account } = given();
      await account.createTable(tableNamed('Pets'));
      await account.apply('Pets', transaction(0));
      for (let start = 100; start < rows; start += 100) {
        const others = Array.from({ length: 100 }, (_, at) => insertion(keyOf('dogs', String(start + at))));
        await account.apply('Pets', others);
      }
      await account.saveSnapshot({ name: 'base' });
      let [isOver, number, pages] = [false, 0, 0];
      const filter = comparison('Number', 'ge', int(0));
      const readers = [undefined, filter].map(async (one) => {
        while (!isOver) {
          const request = { range: { before: keyOf('d', '') }, limit: 1000, bytesMax: 1 << 22, timeMsMax: 5000 };
          const page = await account.scan({ table: 'Pets', ...request, filter: one });
          expect(numbersOf(page).length).toBeLessThanOrEqual(1);
          pages += 1;
          await new Promise((resolve) => setImmediate(resolve));
        }
      });
      const writer = (async () => {
        while (!isOver) {
          expect(await account.apply('Pets', transaction(++number))).toMatchObject({ kind: 'applied' });
          // The reference store answers within the turn, so this adds a turn.
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      try {
        for (let restore = 0; restore < 40; restore++) {
          const name = `before${restore}`;
          await new Promise((resolve) => setImmediate(resolve));
          await write(account, 'Pets', insertion(keyOf('ducks', name)));
          expect(await account.restoreSnapshot({ name: 'base' })).toMatchObject({ kind: 'restored' });
          expect(await account.get('Pets', keyOf('ducks', name))).toEqual({ kind: 'missing' });
          await write(account, 'Pets', insertion(keyOf('ducks', 'after')));
          expect(await account.get('Pets', keyOf('ducks', 'after'))).toMatchObject({ kind: 'found' });
        }
      } finally {
        isOver = true;
      }
      await Promise.all([writer, ...readers]);
      await account.restoreSnapshot({ name: 'base' });
      expect(await contentsOf(account, 'Pets')).toHaveLength(rows);
      expect(pages).toBeGreaterThan(10);
    });
  });
}

/** Tests the promises of a store with data that remains when its process ends. */
export function describeReopenedSnapshots(given: () => Given): void {
  it('promise 15: snapshots, and effects of restores and deletions, still exist after a reopen', async () => {
    const { account, reopen } = given();
    await fill(account);
    const before = await stateOf(account);
    await account.saveSnapshot({ name: 'base' });
    await account.saveSnapshot({ name: 'gone' });
    await spoil(account);
    await account.deleteSnapshot('gone');
    const spoiled = await stateOf(account);
    const second = await reopen();
    expect(await stateOf(second)).toEqual(spoiled);
    expect((await second.listSnapshots()).map(({ name }) => name)).toEqual(['base']);
    await second.restoreSnapshot({ name: 'base' });
    const third = await reopen();
    expect(await stateOf(third)).toEqual(before);
    await spoil(third);
    await third.restoreSnapshot({ name: 'base' });
    expect(await stateOf(await reopen())).toEqual(before);
  });
}
