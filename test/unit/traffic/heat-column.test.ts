import { array, assert, integer, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellsOf, chooseRows, heatRowsMax } from '../../../src/control/observe/heat-rows.ts';
import { addLoad, HeatColumn, type Load, noLoad } from '../../../src/traffic/heat-column.ts';

const load = (requests = 1): Load => ({
  units: requests * 2,
  requests,
  refusals: requests % 2,
  wouldThrottle: requests % 3,
});
const sumOf = (list: readonly Load[]): Load => {
  const sum = noLoad();
  for (const one of list) addLoad(sum, one);
  return sum;
};

const key = string({ maxLength: 3, unit: 'binary' });
const uses = array(
  integer({ min: 1, max: 50 }).chain((requests) => key.map((partitionKey) => ({ partitionKey, requests }))),
  { maxLength: 400 },
);
const sweeps = array(
  key.chain((a) => key.map((b) => (a < b ? { first: a, before: b } : { first: b, before: undefined }))),
  { maxLength: 30 },
);

describe('A column of a heat map', () => {
  it('loses no request in merges, keeps clusters in order and separate, and limits their number', () => {
    assert(
      property(uses, sweeps, (list, ranges) => {
        const column = new HeatColumn(0, []);
        for (const { partitionKey, requests } of list) column.add(partitionKey, load(requests));
        for (const { first, before } of ranges) column.addSweep(first, before, load());
        const sums = [...list.map(({ requests }) => load(requests)), ...ranges.map(() => load())];
        expect(sumOf([...column.clusters, ...column.sweeps])).toEqual(sumOf(sums));
        expect(column.clusters.length).toBeLessThanOrEqual(48);
        expect(column.sweeps.length).toBeLessThanOrEqual(8);
        const ends = column.clusters.flatMap(({ first, last }) => [first, last]);
        expect(ends).toEqual([...ends].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
        for (const { partitionKey } of list) {
          expect(column.clusters.some(({ first, last }) => first <= partitionKey && partitionKey <= last)).toBe(true);
        }
      }),
    );
  });

  it('covers with its sweeps every range that was swept', () => {
    assert(
      property(sweeps, (ranges) => {
        const column = new HeatColumn(0, []);
        for (const { first, before } of ranges) column.addSweep(first, before, load());
        for (const { first, before } of ranges) {
          const isCovered = column.sweeps.some(
            (sweep) =>
              sweep.first <= first && (sweep.before === undefined || (before !== undefined && before <= sweep.before)),
          );
          expect(isCovered).toBe(true);
        }
      }),
    );
  });

  it('keeps a hot partition separate from a thousand others', () => {
    const column = new HeatColumn(0, []);
    for (let at = 0; at < 1_000; at++) {
      column.add(`p${String((at * 389) % 1_000).padStart(3, '0')}`, load());
      if (at % 10 === 0) column.add('p500-hot', load(20));
    }
    const hot = column.clusters.filter(({ first, last }) => first === 'p500-hot' && last === 'p500-hot');
    expect(hot).toMatchObject([{ requests: 2_000 }]);
  });

  it('treats keys that begin with the same 128 characters as one key', () => {
    const column = new HeatColumn(0, []);
    column.add('k'.repeat(500), load());
    column.add(`${'k'.repeat(128)}other`, load());
    expect(column.clusters).toMatchObject([{ first: 'k'.repeat(128), last: 'k'.repeat(128), requests: 2 }]);
  });
});

describe('The rows of a heat map', () => {
  const columnsOf = (lists: readonly (readonly { partitionKey: string; requests: number }[])[]): HeatColumn[] =>
    lists.map((list, at) => {
      const column = new HeatColumn(at, []);
      for (const { partitionKey, requests } of list) column.add(partitionKey, load(requests));
      return column;
    });

  it('are limited in number and in key order, and divide each column without loss', () => {
    assert(
      property(array(uses, { maxLength: 6 }), sweeps, (lists, ranges) => {
        const columns = columnsOf(lists);
        const [first] = columns;
        for (const { first: from, before } of ranges) first?.addSweep(from, before, load());
        const rows = chooseRows(columns);
        expect(rows.length).toBeLessThanOrEqual(heatRowsMax);
        for (const [at, { from, to }] of rows.entries()) {
          expect(from <= to).toBe(true);
          expect(at === 0 || (rows[at - 1]?.to ?? '') < from).toBe(true);
        }
        for (const column of columns) {
          const cells = sumOf(cellsOf(column, rows));
          const whole = sumOf([...column.clusters, ...column.sweeps]);
          expect(cells.units).toBeCloseTo(whole.units, 6);
          expect(cells.requests).toBeCloseTo(whole.requests, 6);
          expect(cells.refusals).toBeCloseTo(whole.refusals, 6);
          expect(cells.wouldThrottle).toBeCloseTo(whole.wouldThrottle, 6);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('are the partitions themselves while there are only few', () => {
    const columns = columnsOf([[{ partitionKey: 'b', requests: 5 }], [{ partitionKey: 'a', requests: 1 }]]);
    const rows = chooseRows(columns);
    expect(rows).toEqual([
      { from: 'a', to: 'a' },
      { from: 'b', to: 'b' },
    ]);
    expect(cellsOf(columns[0]!, rows)).toEqual([{ row: 1, units: 10, requests: 5, refusals: 1, wouldThrottle: 2 }]);
  });

  it('leave most of the height to partitions that are not hot', () => {
    const many = Array.from({ length: 500 }, (_, at) => ({ partitionKey: `p${1_000 + at}`, requests: 1 }));
    const columns = Array.from({ length: 20 }, () => [{ partitionKey: 'p1250x', requests: 5_000 }, ...many]);
    const rows = chooseRows(columnsOf(columns));
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.filter(({ from, to }) => from === 'p1250x' && to === 'p1250x')).toHaveLength(1);
  });

  it('spread a scan of the table over the entire table, and a scan of a range over that range', () => {
    const [column] = columnsOf([['a', 'b', 'c', 'd'].map((partitionKey) => ({ partitionKey, requests: 1 }))]);
    const rows = chooseRows([column!]);
    column!.addSweep('', undefined, { ...noLoad(), units: 4, requests: 4 });
    column!.addSweep('b', 'd', { ...noLoad(), units: 2, requests: 2, refusals: 2 });
    expect(cellsOf(column!, rows).map(({ requests }) => requests)).toEqual([2, 3, 3, 2]);
    expect(cellsOf(column!, rows).map(({ refusals }) => refusals)).toEqual([1, 2, 2, 1]);
  });
});
