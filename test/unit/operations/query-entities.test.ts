import { describe, expect, it } from 'vitest';
import { unmetered } from '../../../src/capacity/meter.ts';
import { type EntityQuery, queryEntities } from '../../../src/operations/query-entities.ts';
import { createFilterReader } from '../../../src/query/read-filter.ts';
import type { AccountStore, ScanRequest } from '../../../src/storage/store.ts';

const isAbandoned = (): boolean => true;

/** The scan that a query requests from the store. */
async function scanOf(query: Omit<EntityQuery, 'table'>, waitMsMax = 30_000): Promise<ScanRequest> {
  const asked: ScanRequest[] = [];
  const scan: AccountStore['scan'] = async (request) => {
    asked.push(request);
    return { kind: 'page', entities: [], visited: 0, end: 'range' };
  };
  await queryEntities(
    {
      store: { scan } as AccountStore,
      filters: createFilterReader(),
      pageBoundaries: 'none',
      meter: unmetered,
      range: undefined,
      waitMsMax,
      isAbandoned,
      record: { capacity: undefined, entities: [], visitedRange: undefined },
    },
    { table: 'Pets', ...query },
  );
  expect(asked).toHaveLength(1);
  return asked[0]!;
}

describe('The page of a query', () => {
  it.each([
    [30_000, 5000],
    [5000, 5000],
    [2000, 2000],
  ])('takes five seconds, or the timeout of the request if that is less: %d', async (waitMsMax, timeMsMax) => {
    expect(await scanOf({ filter: 'n eq 1' }, waitMsMax)).toMatchObject({ timeMsMax, isAbandoned });
  });

  it('has a thousand entities, or $top if that is less', async () => {
    const limits = await Promise.all([undefined, 1000, 7].map(async (top) => (await scanOf({ top })).limit));
    expect(limits).toEqual([1000, 1000, 7]);
  });

  it('with $top=0 scans no keys', async () => {
    const nothing = { partitionKey: '', rowKey: '' };
    expect((await scanOf({ top: 0 })).range).toEqual({ from: nothing, before: nothing });
  });
});
