import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemMachineTime } from '../../../../src/model/time.ts';
import type { AccountStore } from '../../../../src/storage/store.ts';
import { insertion, keyOf, tableNamed } from '../../../support/entities.ts';
import { isCitus } from '../../../support/postgres.ts';
import { createNodes, type Nodes } from './nodes.ts';

const rowsOfTable = 1_500;
const rows = Array.from({ length: rowsOfTable }, (_, at) => ({ ...keyOf(`p${at % 3}`, `${at}`), properties: '' }));

// With Citus, the rows of dropped tables stay for a few seconds, so these tests are skipped.
describe.skipIf(isCitus)('rows of tables that are replaced', () => {
  let nodes: Nodes;
  let account: AccountStore;

  beforeEach(async () => {
    nodes = await createNodes();
  });
  afterEach(() => nodes.close());

  async function fill(): Promise<void> {
    const load = await account.beginLoad();
    await load.addTable({ name: tableNamed('Pets') });
    await load.addEntities('Pets', rows);
    await load.finish();
  }

  const replacements = {
    restores: () => account.restoreSnapshot({ name: 'saved' }),
    'restores of one table': () => account.restoreSnapshot({ name: 'saved', table: 'pets' }),
    loads: fill,
  };

  /** The number of rows that belong to neither a table nor a snapshot. */
  async function orphans(): Promise<number> {
    const [found] = await nodes.query(`SELECT count(*)::integer AS rows FROM tanzanite.entities WHERE table_id NOT IN
      (SELECT id FROM tanzanite.tables UNION SELECT table_id FROM tanzanite.snapshot_tables)`);
    return found?.['rows'] as number;
  }

  it.each(Object.entries(replacements))('are deleted, after %s', async (_, replace) => {
    account = (await nodes.open()).account;
    await fill();
    await account.saveSnapshot({ name: 'saved' });
    for (let times = 0; times < 3; times++) await replace();
    await expect.poll(orphans, { timeout: 30_000 }).toBe(0);
    expect((await account.get('Pets', keyOf('p0', '0'))).kind).toBe('found');
  });

  it.each(Object.entries(replacements))('stay few, even without a pause between %s', async (_, replace) => {
    // Without timers, steps that a timer would begin do not happen.
    account = (await nodes.open({ machineTime: { ...systemMachineTime, after: () => () => undefined } })).account;
    await fill();
    await account.saveSnapshot({ name: 'saved' });
    for (let times = 0; times < 10; times++) {
      await replace();
      expect(await orphans()).toBeLessThanOrEqual(3 * rowsOfTable);
    }
  });

  it('of several small tables are deleted in one step, and the entries of the tables too', async () => {
    account = (await nodes.open({ machineTime: { ...systemMachineTime, after: () => () => undefined } })).account;
    for (const name of ['One', 'Two', 'Three']) {
      await account.createTable(tableNamed(name));
      await account.apply(name, [insertion(keyOf('p', 'row'))]);
    }
    await account.clear();
    expect(await orphans()).toBe(3);
    await fill();
    expect(await orphans()).toBe(0);
    expect(await nodes.query('SELECT 1 FROM tanzanite.dropped_tables')).toEqual([]);
  });
});
