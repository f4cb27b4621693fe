import { describe, expect, it } from 'vitest';
import type { CapacityReport } from '../../../src/capacity/capacity-report.ts';
import { defaultCapacity } from '../../../src/capacity/capacity-settings.ts';
import { developmentKey } from '../client.ts';
import { entityPath, startService } from '../service.ts';
import { ask, codeOf, messageOf } from './ask.ts';

const other = 'otheraccount';
const accounts = ['devstoreaccount1', other].map((name) => ({ name, keys: [developmentKey] }));
const service = await startService({ accounts });
await service.createTable('Orders');
for (let row = 0; row < 20; row++) await service.insert('Orders', { PartitionKey: `p${row % 2}`, RowKey: `${row}` });

const capacityOf = async (query = ''): Promise<CapacityReport> =>
  (await ask(service.origin, { method: 'GET', path: `/_emulator/capacity${query}` })).json as CapacityReport;

describe('Capacity', () => {
  it('tells the targets as they count', async () => {
    const { throttle, scale, targets, queueLength } = await capacityOf();
    const { accountTarget: account, rangeTarget: range, partitionTarget: partition } = defaultCapacity;
    expect({ throttle, scale, targets, queueLength }).toEqual({
      throttle: 'observe',
      scale: 1,
      targets: { account, range, partition },
      queueLength: defaultCapacity.queueLength,
    });
  });

  it('tells the load of accounts, tables, ranges and partitions', async () => {
    const [account] = (await capacityOf()).accounts;
    expect(account).toMatchObject({ account: 'devstoreaccount1', units: 21, waiting: 0, pagesCut: 0 });
    expect(account?.tables).toMatchObject([{ table: 'Orders', units: 20, splits: 0, merges: 0, keyPattern: null }]);
    expect(account?.tables[0]?.ranges).toMatchObject([{ from: '', before: null, isMoving: false, isLone: false }]);
    expect(account?.tables[0]?.unitsPerSecond).toBeGreaterThan(0);
    expect(account?.hotPartitions.map(({ table, partitionKey }) => `${table} ${partitionKey}`).sort()).toEqual([
      'Orders p0',
      'Orders p1',
    ]);
  });

  it('tells of one account where it is asked for one', async () => {
    expect((await capacityOf(`?account=${other}`)).accounts).toEqual([]);
    expect((await capacityOf('?account=devstoreaccount1')).accounts).toHaveLength(1);
  });

  it('answers 400 to a query that means nothing, and names it', async () => {
    const answer = await ask(service.origin, { method: 'GET', path: '/_emulator/capacity?acount=x' });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'InvalidRequest']);
    expect(messageOf(answer)).toContain('"acount"');
  });

  it('counts by KiB, and the table under any spelling of its name as one', async () => {
    const before = (await capacityOf()).accounts[0]?.units ?? 0;
    await service.insert('Orders', { RowKey: 'large', text: 'x'.repeat(5 * 1024) });
    expect((await service.get(entityPath('ORDERS', 'p', 'large'))).status).toBe(200);
    const account = (await capacityOf()).accounts[0];
    expect((account?.units ?? 0) - before).toBe(12);
    expect(account?.tables).toHaveLength(1);
  });

  it('forgets what is reset, and tables that are not there', async () => {
    await service.get('/Nonsense()');
    expect((await capacityOf()).accounts[0]?.tables).toHaveLength(1);
    await ask(service.origin, { path: '/_emulator/reset', body: { table: 'Orders' } });
    expect((await capacityOf()).accounts[0]?.tables).toEqual([]);
    await ask(service.origin, { path: '/_emulator/reset', body: {} });
    expect((await capacityOf()).accounts).toEqual([]);
  });
});
