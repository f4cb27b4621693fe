import { describe, expect, it } from 'vitest';
import type { CapacityReport } from '../../../src/capacity/capacity-report.ts';
import { defaultSettings } from '../../../src/settings/settings.ts';
import { ask, codeOf, messageOf } from '../../support/control-plane.ts';
import { entityPath, startService } from '../../support/service.ts';
import { developmentKey } from '../../support/table-client.ts';

const other = 'otheraccount';
const accounts = ['devstoreaccount1', other].map((name) => ({ name, keys: [developmentKey] }));
const service = await startService({ accounts });
await service.createTable('Orders');
for (let row = 0; row < 20; row++) await service.insert('Orders', { PartitionKey: `p${row % 2}`, RowKey: `${row}` });

const capacityOf = async (query = ''): Promise<CapacityReport> =>
  (await ask(service.origin, { method: 'GET', path: `/_emulator/capacity${query}` })).json as CapacityReport;

describe('Capacity', () => {
  it('reports the effective targets', async () => {
    const { throttle, scale, targets, queueLength, waitMsMax } = await capacityOf();
    const { accountTarget: account, rangeTarget: range, partitionTarget: partition } = defaultSettings.capacity;
    expect({ throttle, scale, targets, queueLength, waitMsMax }).toEqual({
      throttle: 'observe',
      scale: 1,
      targets: { account, range, partition },
      queueLength: defaultSettings.capacity.queueLength,
      waitMsMax: defaultSettings.capacity.waitMsMax,
    });
  });

  it('reports the load of accounts, tables, ranges and partitions', async () => {
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

  it('reports one account if the request names one', async () => {
    expect((await capacityOf(`?account=${other}`)).accounts).toEqual([]);
    expect((await capacityOf('?account=devstoreaccount1')).accounts).toHaveLength(1);
  });

  it.each([
    ['acount=x', /"acount"/],
    [`account=${other}&account=${other}`, /"account" must be string/],
  ])('answers 400 to %s, and names the unknown part', async (query, message) => {
    const answer = await ask(service.origin, { method: 'GET', path: `/_emulator/capacity?${query}` });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'InvalidRequest']);
    expect(messageOf(answer)).toMatch(message);
  });

  it.each(['absent', ''])(
    'answers 404 AccountNotFound for the account %j, as reset and explain do',
    async (account) => {
      const answer = await ask(service.origin, { method: 'GET', path: `/_emulator/capacity?account=${account}` });
      expect([answer.status, codeOf(answer)]).toEqual([404, 'AccountNotFound']);
      expect(messageOf(answer)).toContain('"account"');
    },
  );

  it('reports an account from its first request on, with accounts any', async () => {
    const open = await startService({ accounts: 'any' });
    const path = '/_emulator/capacity?account=worker1';
    expect((await ask(open.origin, { method: 'GET', path })).status).toBe(404);
    await open.with({ account: 'worker1', prefix: '/worker1' }).send({ method: 'GET', path: '/Tables' });
    expect((await ask(open.origin, { method: 'GET', path })).json).toMatchObject({
      accounts: [{ account: 'worker1' }],
    });
  });

  it('reports refusals in all accounts if the request names one, with the account of each', async () => {
    const busy = await startService({
      accounts,
      throttle: 'enforce',
      capacity: { accountTarget: 0.01, queueLength: 0 },
    });
    for (let at = 0; at < 2; at++) await busy.send({ method: 'GET', path: '/Tables' });
    const answer = await ask(busy.origin, { method: 'GET', path: `/_emulator/capacity?account=${other}` });
    const places = [expect.objectContaining({ account: 'devstoreaccount1' })];
    expect(answer.json).toMatchObject({ accounts: [], recentRefusals: [{ refused: 1, places }] });
  });

  it('counts by KiB, and treats table names as case-insensitive', async () => {
    const before = (await capacityOf()).accounts[0]?.units ?? 0;
    await service.insert('Orders', { RowKey: 'large', text: 'x'.repeat(5 * 1024) });
    expect((await service.get(entityPath('ORDERS', 'p', 'large'))).status).toBe(200);
    const account = (await capacityOf()).accounts[0];
    expect((account?.units ?? 0) - before).toBe(12);
    expect(account?.tables).toHaveLength(1);
  });

  it('omits accounts that were reset, and tables that do not exist', async () => {
    await service.get('/Nonsense()');
    expect((await capacityOf()).accounts[0]?.tables).toHaveLength(1);
    await ask(service.origin, { path: '/_emulator/reset', body: { table: 'Orders' } });
    expect((await capacityOf()).accounts[0]?.tables).toEqual([]);
    await ask(service.origin, { path: '/_emulator/reset', body: {} });
    expect((await capacityOf()).accounts).toEqual([]);
  });
});
