// Only the advisor decides whether a design is good. The heat map and the capacity report show its verdict.

import { describe, expect, it } from 'vitest';
import type { AdvisorReport } from '../../../src/advisor/report.ts';
import type { CapacityReport } from '../../../src/capacity/capacity-report.ts';
import type { HeatReport } from '../../../src/control/observe/heat-report.ts';
import { ask } from '../../support/control-plane.ts';
import { type Service, startService } from '../../support/service.ts';

const judged = await startService();
const unjudged = await startService({ advisor: false });

async function answersOf({ origin }: Service, table: string) {
  const get = async (path: string): Promise<unknown> => (await ask(origin, { method: 'GET', path })).json;
  const capacity = (await get('/_emulator/capacity')) as CapacityReport;
  const { signs } = (await get(`/_emulator/heatmap?table=${table}`)) as HeatReport;
  const { findings = [] } = (await get('/_emulator/advisor')) as Partial<AdvisorReport>;
  return {
    keyPattern: capacity.accounts[0]?.tables.find((one) => one.table === table)?.keyPattern,
    signs,
    findings: findings.filter((one) => one.table === table).map(({ rule }) => rule),
  };
}

async function insertAll(service: Service, table: string, keys: readonly string[]): Promise<void> {
  await service.createTable(table);
  for (const PartitionKey of keys) await service.insert(table, { PartitionKey });
}

const growing = (count: number): string[] => Array.from({ length: count }, (_, at) => String(at).padStart(6, '0'));

describe('The verdict on keys', () => {
  it('is the same in all answers for 250 growing partitions', async () => {
    await insertAll(judged, 'Growing', growing(250));
    expect(await answersOf(judged, 'Growing')).toMatchObject({
      keyPattern: 'append-only',
      signs: [{ kind: 'append-only' }],
      findings: ['append-only-keys'],
    });
  });

  it('is the same for 150 growing partitions, which are too few', async () => {
    await insertAll(judged, 'Few', growing(150));
    expect(await answersOf(judged, 'Few')).toEqual({ keyPattern: null, signs: [], findings: [] });
  });

  it('is the same for falling partitions, and for partitions in any order', async () => {
    await insertAll(judged, 'Falling', growing(250).reverse());
    expect(await answersOf(judged, 'falling')).toMatchObject({ signs: [{ kind: 'prepend-only' }] });
    expect(await answersOf(judged, 'Falling')).toMatchObject({
      keyPattern: 'prepend-only',
      findings: ['prepend-only-keys'],
    });
    const mixed = growing(250).map((key, at) => `${(at * 7_919) % 1_000}-${key}`);
    await insertAll(judged, 'Mixed', mixed);
    expect(await answersOf(judged, 'Mixed')).toEqual({ keyPattern: 'spread', signs: [], findings: [] });
  });

  it('is the same for a partition with most of the requests', async () => {
    await insertAll(judged, 'Uneven', [...growing(10).map((key) => `cold${key}`), "o'hot"]);
    const hot = "/Uneven(PartitionKey='o''hot',RowKey='r')";
    for (let at = 0; at < 1_200; at++) await judged.get(hot);
    const { signs, findings } = await answersOf(judged, 'Uneven');
    expect(findings).toContain('hot-partition');
    expect(signs).toMatchObject([{ kind: 'hot partition', partitionKey: "o'hot" }]);
  });

  it('is absent without the advisor', async () => {
    await insertAll(unjudged, 'Growing', growing(250));
    expect(await answersOf(unjudged, 'Growing')).toEqual({ keyPattern: null, signs: [], findings: [] });
  });
});
