import { describe, expect, it } from 'vitest';
import { unmetered } from '../../../src/capacity/meter.ts';
import { newRequestRecord } from '../../../src/model/request-record.ts';
import { type EntityQuery, queryEntities } from '../../../src/operations/query-entities.ts';
import { planQuery } from '../../../src/query/plan.ts';
import { createFilterReader } from '../../../src/query/read-filter.ts';
import { scanRequest } from '../../../src/storage/scan-request.ts';
import type { AccountStore, ScanRequest } from '../../../src/storage/store.ts';
import { ManualTime } from '../../support/manual-time.ts';

const filters = createFilterReader();
const timeMsMaxOf = (timeMsMax: number | undefined): number =>
  scanRequest(planQuery(filters.readFilter('n eq 1')), { endsAtPartition: false, timeMsMax }).timeMsMax;

describe('The time of a page', () => {
  it.each([
    [undefined, 5000],
    [30_000, 5000],
    [5000, 5000],
    [2000, 2000],
  ])('is five seconds, or the timeout of the request if that is less: %d', (timeMsMax, expected) => {
    expect(timeMsMaxOf(timeMsMax)).toBe(expected);
  });

  it('and its abandonment are those of the request', async () => {
    const asked: ScanRequest[] = [];
    const scan: AccountStore['scan'] = async (_table, request) => {
      asked.push(request);
      return { kind: 'page', entities: [], visited: 0, end: 'range' };
    };
    const isAbandoned = (): boolean => true;
    const query: EntityQuery = { table: 'Pets', filter: 'n eq 1' };
    await queryEntities(
      {
        store: { scan } as AccountStore,
        filters,
        pageBoundaries: 'none',
        clock: new ManualTime(),
        replica: { status: 'live', lagMs: 0 },
        meter: unmetered,
        range: undefined,
        waitMsMax: 2000,
        isAbandoned,
        record: newRequestRecord({
          requestId: '',
          clientRequestId: undefined,
          method: 'GET',
          url: '/',
          remoteAddress: '',
          userAgent: undefined,
          connection: 1,
          expectsContinue: false,
          startedAtMs: 0,
          startedMs: 0,
          headers: {},
        }),
      },
      query,
    );
    expect(asked).toMatchObject([{ timeMsMax: 2000, isAbandoned }]);
  });
});
