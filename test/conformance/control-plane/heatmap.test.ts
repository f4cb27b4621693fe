import { describe, expect, it } from 'vitest';
import type { HeatReport } from '../../../src/control/observe/heat-report.ts';
import { ask, codeOf } from '../../support/control-plane.ts';
import { entityPath, startService } from '../../support/service.ts';

const service = await startService();

async function mapOf(query: string): Promise<HeatReport> {
  const answer = await ask(service.origin, { method: 'GET', path: `/_emulator/heatmap?${query}` });
  expect(answer.status).toBe(200);
  return answer.json as HeatReport;
}

/** The number of requests in each row, by the first key of the row. */
const requestsOf = ({ rows, cells }: HeatReport): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const [, row, , requests] of cells) {
    const { from = '' } = rows[row] ?? {};
    sums[from] = (sums[from] ?? 0) + requests;
  }
  return sums;
};

describe('GET /_emulator/heatmap', () => {
  it('is empty if no table was used', async () => {
    expect(await mapOf('')).toMatchObject({ account: 'devstoreaccount1', table: null, rows: [], columns: 180 });
  });

  it('shows reads, writes, batches and queries at their keys, even those before its first call', async () => {
    await service.createTable('heat');
    for (const key of ['a', 'b', 'c']) await service.insert('heat', { PartitionKey: key, RowKey: '1' });
    for (let times = 0; times < 5; times++) await service.get(entityPath('heat', 'b', '1'));
    await service.get(entityPath('heat', 'c', 'absent'));
    await service.get("/heat()?$filter=PartitionKey%20eq%20'c'");
    await service.get('/heat()');
    await service.get('/absent()');
    const map = await mapOf('table=heat&minutes=1');
    expect(requestsOf(map)).toEqual({ a: 1.333, b: 6.333, c: 3.333 });
    const [first] = map.tables;
    expect(first).toMatchObject({ table: 'heat', requests: 11, refusals: 1 });
    expect(first?.units).toBeGreaterThanOrEqual(11);
    expect(map.tables).toHaveLength(1);
  });

  it('begins again after a reset', async () => {
    await service.createTable('short');
    await service.insert('short', { PartitionKey: 'a', RowKey: '1' });
    expect((await mapOf('table=short')).rows).toEqual([{ from: 'a', to: 'a' }]);
    await ask(service.origin, { path: '/_emulator/reset', body: { table: 'short' } });
    expect((await mapOf('table=short')).rows).toEqual([]);
  });

  it.each(['minutes=0', 'minutes=31', 'minutes=1.5', 'minutes=x', 'table=', 'color=red'])(
    'refuses %s',
    async (query) => {
      const answer = await ask(service.origin, { method: 'GET', path: `/_emulator/heatmap?${query}` });
      expect([answer.status, codeOf(answer)]).toEqual([400, 'InvalidRequest']);
    },
  );

  it('refuses an account that does not exist', async () => {
    const answer = await ask(service.origin, { method: 'GET', path: '/_emulator/heatmap?account=nobody' });
    expect([answer.status, codeOf(answer)]).toEqual([404, 'AccountNotFound']);
  });
});
