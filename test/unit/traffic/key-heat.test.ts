import { describe, expect, it } from 'vitest';
import { reportHeat } from '../../../src/control/observe/heat-report.ts';
import { newRequestRecord, type RequestRecord } from '../../../src/model/request-record.ts';
import { ServiceError } from '../../../src/model/service-error.ts';
import { columnMs, columnsMax, KeyHeat } from '../../../src/traffic/key-heat.ts';
import { ManualTime } from '../../support/manual-time.ts';

function open() {
  const time = new ManualTime();
  const ends: string[] = [];
  const heat = new KeyHeat({ time, rangeEnd: (_account, _table, key) => ends.find((end) => end > key) });
  return {
    time,
    heat,
    /** Sets the keys at which the ranges of all tables end. */
    splitAt(...keys: readonly string[]): void {
      ends.splice(0, ends.length, ...keys);
    },
    note(members: Partial<RequestRecord>): void {
      heat.count({ ...newRequestRecord({ ...start, startedMs: time.monotonicMs() }), ...answered, ...members });
    },
    report: (table?: string, minutes = 1) => reportHeat(heat, { account: 'a', table, minutes }),
  };
}

const start = {
  requestId: 'id',
  clientRequestId: undefined,
  trace: undefined,
  isSecure: false,
  method: 'GET',
  url: '/',
  remoteAddress: '127.0.0.1',
  userAgent: undefined,
  connection: 1,
  connectionsOpen: 1,
  expectsContinue: false,
  startedAtMs: 0,
  headers: {},
};
const capacity = { outcome: 'admitted', limit: undefined, waitedMs: 0, units: 3 } as const;
const answered = { account: 'a', table: 'pets', partitionKey: 'p', status: 200, capacity };

describe('The heat of keys', () => {
  it('leaves out a request with an outcome that a fault staged, and counts one that it only delayed', () => {
    const { note, report } = open();
    note({});
    const before = report();
    note({ status: 503, fault: { rule: 'busy', kind: 'error', isOutcome: true } });
    expect(report()).toEqual(before);
    note({ fault: { rule: 'slow', kind: 'delay', isOutcome: false } });
    expect(report()).not.toEqual(before);
  });

  it('counts units, requests, refusals and would-be refusals, by partition and five seconds', () => {
    const { time, note, report } = open();
    note({});
    note({ status: 404, refusal: new ServiceError('ResourceNotFound') });
    time.advance(columnMs);
    note({ partitionKey: 'q' });
    note({ capacity: { ...capacity, outcome: 'wouldThrottle', limit: 'partition' } });
    expect(report()).toMatchObject({
      account: 'a',
      table: 'pets',
      tables: [{ table: 'pets', units: 12, requests: 4, refusals: 1, wouldThrottle: 1 }],
      columns: 12,
      rows: [
        { from: 'p', to: 'p' },
        { from: 'q', to: 'q' },
      ],
      cells: [
        [10, 0, 6, 2, 1, 0],
        [11, 0, 3, 1, 0, 1],
        [11, 1, 3, 1, 0, 0],
      ],
    });
  });

  it('counts a batch at its writes, a scan over the range that it visited, and a page of a partition there', () => {
    const { note, report } = open();
    const member = { operation: 'InsertEntity', status: 201, index: 0, refusal: undefined };
    note({
      table: undefined,
      partitionKey: undefined,
      batchSize: 2,
      members: [{ ...member, table: 'pets', partitionKey: 'a' }],
    });
    for (const partitionKey of ['b', 'c', 'd']) note({ partitionKey });
    const none = { partitionKey: undefined };
    note({
      ...none,
      visitedRange: { from: { partitionKey: 'b', rowKey: '' }, before: { partitionKey: 'c', rowKey: 'r' } },
    });
    note({
      ...none,
      visitedRange: { from: { partitionKey: 'd', rowKey: '5' }, before: { partitionKey: 'd\0', rowKey: '' } },
    });
    note({ ...none, visitedRange: {} });
    expect(report('PETS').cells.map(([, row, , requests]) => [row, requests])).toEqual([
      [0, 1.25],
      [1, 1.75],
      [2, 1.75],
      [3, 2.25],
    ]);
  });

  it('leaves out requests that were refused before they reached a table, and tables that do not exist', () => {
    const { note, report } = open();
    note({ capacity: undefined, status: 403 });
    note({ status: 404, refusal: new ServiceError('TableNotFound') });
    note({ partitionKey: undefined });
    expect(report()).toMatchObject({ table: null, tables: [], rows: [], cells: [] });
  });

  it('reports the busiest table, or the requested one', () => {
    const { note, report } = open();
    note({});
    note({ table: 'Orders' });
    note({ table: 'orders' });
    note({ account: 'b', table: 'others' });
    expect(report().table).toBe('Orders');
    expect(report().tables.map(({ table }) => table)).toEqual(['Orders', 'pets']);
    expect(report('pets').table).toBe('pets');
    expect(report('absent')).toMatchObject({ table: 'absent', rows: [], cells: [] });
  });

  it('has a line for each range, from its split to its merge', () => {
    const { time, note, splitAt, report } = open();
    note({ partitionKey: 'a' });
    time.advance(columnMs);
    splitAt('m', 't');
    note({ partitionKey: 'z' });
    time.advance(columnMs);
    splitAt('t');
    note({ partitionKey: 'n' });
    expect(report().boundaries).toEqual([
      { partitionKey: 'm', row: 1, fromColumn: 10, beforeColumn: 11 },
      { partitionKey: 't', row: 2, fromColumn: 10, beforeColumn: 12 },
    ]);
  });

  it('drops a table or an account that is reset', () => {
    const { heat, note, report } = open();
    note({});
    note({ table: 'orders' });
    heat.forget('a', 'PETS');
    expect(report().tables.map(({ table }) => table)).toEqual(['orders']);
    note({});
    heat.forget('a');
    expect(report().tables).toEqual([]);
  });

  it('keeps half an hour, and no more columns, tables or clusters than its limits', () => {
    const { time, heat, note } = open();
    const long = columnsMax + 5;
    for (let at = 0; at < long; at++) {
      note({});
      time.advance(columnMs);
    }
    expect(heat.tables('a', 0)[0]?.columns).toHaveLength(columnsMax);
    for (let table = 0; table < 300; table++) note({ table: `t${table}` });
    expect(heat.tables('a', 0)).toHaveLength(256);
    for (let at = 0; at < 200; at++) {
      for (let table = 0; table < 10; table++) {
        for (let key = 0; key < 48; key++) note({ table: `wide${table}`, partitionKey: `p${key}` });
      }
      time.advance(columnMs);
    }
    const columns = heat.tables('a', 0).flatMap((one) => one.columns);
    const clusters = columns.reduce((sum, column) => sum + column.clusters.length, 0);
    expect(clusters).toBeGreaterThan(50_000);
    expect(clusters).toBeLessThanOrEqual(60_000 + 10 * 48 + 256);
  });
});
