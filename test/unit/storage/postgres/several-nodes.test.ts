import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeProperties } from '../../../../src/model/properties.ts';
import type { AccountStore } from '../../../../src/storage/store.ts';
import {
  anyState,
  contentsOf,
  entitiesOf,
  insertion,
  keyOf,
  tableNamed,
  texts,
  ticksOf,
  unchangedSince,
  write,
} from '../../../support/entities.ts';
import { hasPostgres, isCitus } from '../../../support/postgres.ts';
import { int } from '../../query/filters.ts';
import { createNodes, type Node, type Nodes } from './nodes.ts';

const key = keyOf('p', 'counter');
const countOf = (properties: string): number => {
  const value = decodeProperties(properties).get('Count');
  if (value?.type !== 'Edm.Int32') throw new Error('the entity has a Count');
  return value.value;
};
const count = (value: number) => new Map([['Count', int(value)]]);

async function read(account: AccountStore, table: string, entity = key) {
  const outcome = await account.get(table, entity);
  if (outcome.kind !== 'found') throw new Error(`an entity was expected, the store answered ${outcome.kind}`);
  return outcome.entity;
}

describe.runIf(hasPostgres)('Nodes over one database', () => {
  let nodes: Nodes;
  let [a, b]: Node[] = [];
  beforeAll(async () => {
    nodes = await createNodes();
    // All nodes find an empty database.
    [a, b] = await Promise.all([nodes.open(), nodes.open(), nodes.open(), nodes.open()]);
  });
  afterAll(() => nodes.close());
  const both = (): [Node, Node] => [a as Node, b as Node];

  it('start at the same time on an empty database, and see tables immediately', async () => {
    const [one, other] = both();
    expect(await one.account.createTable(tableNamed('Known'))).toMatchObject({ kind: 'created' });
    expect(await other.account.findTable('Known')).toMatchObject({ kind: 'found' });
    expect(await other.account.createTable(tableNamed('KNOWN'))).toEqual({ kind: 'exists' });
    await other.account.deleteTable('Known');
    expect(await one.account.apply('Known', [insertion(key)])).toEqual({ kind: 'tableMissing' });
    expect(await one.store.names()).toEqual(['devstoreaccount1']);
  });

  it('promise 8: exactly one of several creations of a name succeeds', async () => {
    for (let round = 0; round < 10; round++) {
      const outcomes = await Promise.all(both().map(({ account }) => account.createTable(tableNamed(`Race${round}`))));
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['created', 'exists']);
    }
  });

  it('promise 5: timestamps increase within a partition, with clocks five seconds apart', async () => {
    const [one, other] = both();
    other.time.stepDate(-5_000);
    await one.account.createTable(tableNamed('Clocks'));
    let last = 0n;
    const note = (timestamp: string): void => {
      expect(ticksOf(timestamp)).toBeGreaterThan(last);
      last = ticksOf(timestamp);
    };
    for (let round = 0; round < 5; round++) {
      for (const { account } of [one, other]) {
        note(await write(account, 'Clocks', insertion(key)));
        note(await write(account, 'Clocks', { kind: 'merge', ...key, properties: count(round), ifMatch: anyState }));
        note(await write(account, 'Clocks', { kind: 'delete', ...key, ifMatch: anyState }));
      }
      await one.account.deleteTable('Clocks');
      await other.account.createTable(tableNamed('Clocks'));
    }
    other.time.stepDate(5_000);
  });

  it('promise 5: timestamps increase when both write at the same time', async () => {
    const [one, other] = both();
    await one.account.createTable(tableNamed('AtOnce'));
    const upsert = { kind: 'insertOrReplace', ...key, properties: count(0) } as const;
    const written = await Promise.all(
      Array.from({ length: 60 }, (_, at) => write((at % 2 ? one : other).account, 'AtOnce', upsert)),
    );
    expect(new Set(written).size).toBe(60);
    expect((await read(one.account, 'AtOnce')).timestamp).toBe(
      written.toSorted((x, y) => Number(ticksOf(x) - ticksOf(y))).at(-1),
    );
  });

  it('promise 3: exactly one of several writes with the same ETag is applied', async () => {
    const [one, other] = both();
    await one.account.createTable(tableNamed('Etags'));
    let since = await write(one.account, 'Etags', insertion(key, count(0)));
    for (let round = 1; round <= 20; round++) {
      const mutation = { kind: 'replace', ...key, properties: count(round), ifMatch: unchangedSince(since) } as const;
      const outcomes = await Promise.all(
        [one, other, one, other].map(({ account }) => account.apply('Etags', [mutation])),
      );
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['applied', 'stale', 'stale', 'stale']);
      since = (await read(other.account, 'Etags')).timestamp;
    }
  });

  it('promise 2: the sum is right in every page while both nodes move amounts inside a partition', async () => {
    const [one, other] = both();
    await one.account.createTable(tableNamed('Sums'));
    const keys = Array.from({ length: 4 }, (_, at) => keyOf('p', `r${at}`));
    await one.account.apply(
      'Sums',
      keys.map((entity) => insertion(entity, count(100))),
    );
    let moved = 0;
    const move = async ({ account }: Node, seed: number): Promise<void> => {
      for (let round = 0; round < 25; round++) {
        const [from, to] = [keys[(seed + round) % 4]!, keys[(seed + round + 1 + (round % 2)) % 4]!];
        const [source, target] = [await read(account, 'Sums', from), await read(account, 'Sums', to)];
        const outcome = await account.apply('Sums', [
          {
            kind: 'replace',
            ...from,
            properties: count(countOf(source.properties) - 1),
            ifMatch: unchangedSince(source.timestamp),
          },
          {
            kind: 'replace',
            ...to,
            properties: count(countOf(target.properties) + 1),
            ifMatch: unchangedSince(target.timestamp),
          },
        ]);
        expect(['applied', 'stale']).toContain(outcome.kind);
        if (outcome.kind === 'applied') moved += 1;
      }
    };
    let isOver = false;
    const reader = (async () => {
      let pages = 0;
      while (!isOver) {
        const entities = await contentsOf(other.account, 'Sums');
        expect(entities.reduce((sum, { properties }) => sum + countOf(properties), 0)).toBe(400);
        pages += 1;
      }
      return pages;
    })();
    await Promise.all([move(one, 0), move(other, 1), move(one, 2), move(other, 3)]);
    isOver = true;
    expect(await reader).toBeGreaterThan(1);
    expect(moved).toBeGreaterThan(10);
  });

  it('promise 9: a table that a node deletes and creates again has exactly the writes acknowledged since', async () => {
    const [one, other] = both();
    await one.account.createTable(tableNamed('Reborn'));
    const acknowledged: { readonly rowKey: string; readonly begun: number }[] = [];
    let [births, isOver] = [0, false];
    const patience = { interval: 1, timeout: 60_000 };
    const writers = both().map(async ({ account }, writer) => {
      for (let at = 0; !isOver; at++) {
        const [rowKey, begun] = [`${writer}-${at}`, births];
        const { kind } = await account.apply('Reborn', [insertion(keyOf(`p${at % 3}`, rowKey))]);
        if (kind === 'applied') acknowledged.push({ rowKey, begun });
        else expect(kind).toBe('tableMissing');
      }
    });
    for (let round = 0; round < 10; round++) {
      const before = acknowledged.length;
      await expect.poll(() => acknowledged.length, patience).toBeGreaterThan(before);
      expect((await other.account.deleteTable('Reborn')).kind).toBe('deleted');
      await one.account.createTable(tableNamed('Reborn'));
      births += 1;
    }
    const isSure = ({ begun }: { readonly begun: number }): boolean => begun === births;
    await expect.poll(() => acknowledged.some(isSure), patience).toBe(true);
    isOver = true;
    await Promise.all(writers);
    const held = new Set((await contentsOf(one.account, 'Reborn')).map(({ rowKey }) => rowKey));
    const sure = acknowledged.filter(isSure);
    expect(sure.filter(({ rowKey }) => !held.has(rowKey))).toEqual([]);
  });

  it('promise 9: exactly the rows of deleted and cleared tables are removed', async () => {
    const [one, other] = both();
    await one.account.createTable(tableNamed('Emptied'));
    await one.account.createTable(tableNamed('Kept'));
    const entities = Array.from({ length: 2_500 }, (_, at) => insertion(keyOf('p', String(at))));
    await one.account.apply('Emptied', entities);
    await one.account.apply('Kept', entities);
    await other.account.clearTable('Emptied');
    await write(one.account, 'Emptied', insertion(key));
    if (isCitus) {
      // With Citus, rows stay for a few seconds. The next dropped table starts the reclaiming again.
      await nodes.query('UPDATE tanzanite.dropped_tables SET not_before = now()');
      await one.account.createTable(tableNamed('Another'));
      await one.account.deleteTable('Another');
    }
    const rows = async (): Promise<unknown> => {
      const tables = await nodes.query('SELECT id FROM tanzanite.tables');
      const ids = tables.map(({ id }) => id).join();
      const [found] = await nodes.query(
        `SELECT count(*)::integer AS rows FROM tanzanite.entities WHERE table_id NOT IN (${ids})`,
      );
      return found?.['rows'];
    };
    await expect.poll(rows, { timeout: 60_000 }).toBe(0);
    expect(await contentsOf(other.account, 'Kept')).toHaveLength(2_500);
    expect(await contentsOf(other.account, 'Emptied')).toHaveLength(1);
  });

  it('promise 15: the rows of a load that an ended node leaves are removed after an hour without use', async () => {
    const [one] = both();
    const load = await one.account.beginLoad();
    await load.addTable({ name: tableNamed('Loaded') });
    await load.addEntities('Loaded', [{ ...key, properties: '' }]);
    const idle = "SELECT table_id FROM tanzanite.dropped_tables WHERE not_before > now() + interval '50 minutes'";
    const [loaded] = await nodes.query(idle);
    const left = () => nodes.query(`SELECT 1 FROM tanzanite.dropped_tables WHERE table_id = ${loaded?.['table_id']}`);
    expect(await left()).toHaveLength(1);
    await nodes.query("UPDATE tanzanite.dropped_tables SET not_before = not_before - interval '59 minutes'");
    await one.account.createTable(tableNamed('Another'));
    await one.account.deleteTable('Another');
    await expect
      .poll(() => nodes.query('SELECT 1 FROM tanzanite.dropped_tables WHERE not_before <= now()'))
      .toEqual([]);
    expect(await left()).toHaveLength(1);
    await nodes.query("UPDATE tanzanite.dropped_tables SET not_before = not_before - interval '2 minutes'");
    await one.account.createTable(tableNamed('Another'));
    await one.account.deleteTable('Another');
    await expect.poll(left).toEqual([]);
    await expect(load.finish()).rejects.toThrow('idle');
  });

  it('promise 15: a load that was idle for too long ends when its first rows are removed', async () => {
    const [one] = both();
    const load = await one.account.beginLoad();
    await load.addTable({ name: tableNamed('Loaded') });
    // More rows than are reclaimed in one step.
    const rows = Array.from({ length: 3_000 }, (_, at) => ({ ...keyOf('p', `${at}`), properties: '' }));
    await load.addEntities('Loaded', rows);
    const [loaded] = await nodes.query('SELECT max(table_id) AS id FROM tanzanite.entities');
    await nodes.query("UPDATE tanzanite.dropped_tables SET not_before = now() - interval '1 minute'");
    await one.account.createTable(tableNamed('Another'));
    await one.account.deleteTable('Another');
    const count = async () => {
      const [row] = await nodes.query(`SELECT count(*) FROM tanzanite.entities WHERE table_id = ${loaded?.['id']}`);
      return Number(row?.['count']);
    };
    await expect.poll(count, { interval: 1 }).toBeLessThan(3_000);
    await expect(load.addEntities('Loaded', [{ ...keyOf('p', 'more'), properties: '' }])).rejects.toThrow('idle');
    await expect(load.finish()).rejects.toThrow('idle');
    await expect.poll(count).toBe(0);
  });

  it('promise 5: continue if a clock has left moments after the last possible date', async () => {
    const [{ account }] = both();
    const beyond = 4_000_000_000_000_000_000n;
    await account.createTable(tableNamed('Late'));
    for (const rowKey of ['a', 'b']) await account.apply('Late', [insertion(keyOf('p', rowKey))]);
    await nodes.query(`UPDATE tanzanite.moments SET last_ticks = ${beyond};
      UPDATE tanzanite.accounts SET last_ticks = ${beyond};
      UPDATE tanzanite.tables SET created_ticks = ${beyond} WHERE lookup = 'late';
      UPDATE tanzanite.entities SET ticks = ${beyond} WHERE table_id IN (SELECT id FROM tanzanite.tables WHERE lookup = 'late')`);
    const stamps = (await contentsOf(account, 'Late')).map(({ timestamp }) => timestamp);
    expect(stamps).toEqual(['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z']);
    for (const rowKey of ['a', 'b']) {
      const upsert = { kind: 'insertOrReplace', ...keyOf('p', rowKey), properties: texts({}) } as const;
      expect(await write(account, 'Late', upsert)).toMatch(/^2024-/);
    }
    const more = ['c', 'd'].map((rowKey) => insertion(keyOf(`q${rowKey}`, rowKey)));
    for (const { timestamp } of entitiesOf(await account.apply('Late', more))) expect(timestamp).toMatch(/^2024-/);
    expect(await account.createTable(tableNamed('Later'))).toMatchObject({
      table: { createdAt: expect.stringMatching(/^2024-/) },
    });
  });

  it('promise 13: are notified of settings that another node changes, or know that they are not', async () => {
    const [one, other] = both();
    const heard: unknown[] = [];
    other.store.onChange((account) => heard.push(account));
    await one.account.updateServiceProperties(() => '{"a":1}');
    await expect.poll(() => heard).toContain('devstoreaccount1');
    heard.length = 0;
    expect(other.store.hearsChanges).toBe(true);
    await nodes.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE query LIKE 'LISTEN%' OR query = 'SELECT 1'`);
    await expect.poll(() => heard.length).toBe(2);
    expect(heard).toEqual([undefined, undefined]);
    await one.account.updateServiceProperties(() => '{"a":2}');
    await expect.poll(() => heard).toContain('devstoreaccount1');
  });
});
