// A changeset is carried out completely or not at all, and in the order of its operations. This is true even if
// transactions run at the same time.

import { describe, expect, it } from 'vitest';
import {
  callsOn,
  changesetBody,
  codeOf,
  commit,
  type InnerCall,
  outcomesIn,
  rowsOf,
  sendBatch,
} from '../support/batch-requests.ts';
import { entityPath, startService } from '../support/service.ts';

const service = await startService();
const { base } = service;
let tables = 0;

/** A table with the rows `a` to `e`. The property n of a row is its position. */
async function fiveRows() {
  const table = `rows${tables++}`;
  await service.createTable(table);
  for (const [n, RowKey] of [...'abcde'].entries()) await service.insert(table, { RowKey, n, kept: true });
  return { table, calls: callsOn(base, table) };
}

describe('A changeset that fails', () => {
  const stale = `W/"datetime'2001-01-01T00%3A00%3A00Z'"`;

  it.each([0, 1, 2, 3, 4, 5])('changes no entity and no ETag: failing at %i of 5', async (failAt) => {
    const { table, calls } = await fiveRows();
    const writes = [
      calls.insert('f', { n: 9 }),
      calls.put('a', { n: 9 }),
      calls.merge('b', { n: 9 }, { 'If-Match': '*' }),
      calls.remove('c'),
      calls.patch('g', { n: 9 }),
    ];
    const before = await service.get(`/${table}()`);
    const failing = [calls.insert('e'), calls.remove('none'), calls.put('d', {}, { 'If-Match': stale })];
    for (const failure of failing) {
      const answers = await commit(service, [...writes.slice(0, failAt), failure, ...writes.slice(failAt)]);
      expect(answers.map(({ status }) => Math.floor(status / 100))).toEqual([4]);
      expect(answers[0]?.body).toContain(`"value":"${failAt}:`);
    }
    expect((await service.get(`/${table}()`)).body).toBe(before.body);
  });

  it('does not block later writes of the same entities', async () => {
    const { table, calls } = await fiveRows();
    await commit(service, [calls.insert('f'), calls.remove('a'), calls.remove('none')]);
    expect(outcomesIn(await sendBatch(service, changesetBody([calls.insert('f'), calls.remove('a')])))).toHaveLength(2);
    expect(Object.keys(await rowsOf(service, table))).toEqual(['b', 'c', 'd', 'e', 'f']);
  });
});

describe('A changeset that succeeds', () => {
  it('answers its operations in order, each with the ETag of its entity', async () => {
    const { table, calls } = await fiveRows();
    const order = ['d', 'a', 'f', 'c', 'e', 'b'];
    const answers = await commit(
      service,
      order.map((rowKey, n) => calls.put(rowKey, { n })),
    );
    for (const [index, rowKey] of order.entries()) {
      const { body, header } = await service.get(entityPath(table, 'p', rowKey));
      expect(body).toContain(`"n":${index}}`);
      expect(answers[index]?.header('ETag')).toBe(header('ETag'));
    }
  });

  it('replaces, merges and deletes as the operations outside a batch do', async () => {
    const { table, calls } = await fiveRows();
    await commit(service, [calls.put('a', { x: 1 }), calls.merge('b', { x: 1 }), calls.patch('c', { n: null, x: 1 })]);
    const custom = async (rowKey: string): Promise<unknown> => {
      const headers = { Accept: 'application/json;odata=nometadata' };
      const { PartitionKey, RowKey, Timestamp, ...rest } = JSON.parse(
        (await service.get(entityPath(table, 'p', rowKey), headers)).body,
      );
      expect([PartitionKey, RowKey, typeof Timestamp]).toEqual(['p', rowKey, 'string']);
      return rest;
    };
    expect(await custom('a')).toEqual({ x: 1 });
    expect(await custom('b')).toEqual({ n: 1, kept: true, x: 1 });
    expect(await custom('c')).toEqual({ n: 2, kept: true, x: 1 });
  });

  it('sees the state before it: a delete does not permit an insert of the same entity', async () => {
    const { calls } = await fiveRows();
    const outcomes = outcomesIn(await sendBatch(service, changesetBody([calls.remove('a'), calls.insert('a')])));
    expect(outcomes).toEqual(['400 InvalidDuplicateRow']);
  });
});

describe('Concurrent transactions', () => {
  it('increment two entities together, never one without the other', { timeout: 120_000 }, async () => {
    const { table, calls } = await fiveRows();
    await commit(service, [calls.put('a', { n: 0 }), calls.put('b', { n: 0 })]);
    let conflicts = 0;

    const read = async (): Promise<{ n: number; etag: string }[]> => {
      const { value } = JSON.parse((await service.get(`/${table}()?$filter=RowKey%20lt%20'c'`)).body) as {
        value: { n: number; 'odata.etag': string }[];
      };
      return value.map(({ n, 'odata.etag': etag }) => ({ n, etag }));
    };
    const increment = async (): Promise<void> => {
      for (;;) {
        const [a, b] = await read();
        if (!a || !b) throw new Error('an entity is gone');
        expect(a.n).toBe(b.n);
        const writes: InnerCall[] = [
          calls.put('a', { n: a.n + 1 }, { 'If-Match': a.etag }),
          calls.merge('b', { n: b.n + 1 }, { 'If-Match': b.etag }),
        ];
        const answers = await commit(service, writes);
        if (answers.length === 2) return;
        expect(answers.map((answer) => codeOf(answer))).toEqual(['UpdateConditionNotSatisfied']);
        conflicts += 1;
      }
    };
    await Promise.all(Array.from({ length: 20 }, increment));
    expect((await read()).map(({ n }) => n)).toEqual([20, 20]);
    expect(conflicts).toBeGreaterThan(0);
  });

  it('insert the same entities only once: one of twenty succeeds', async () => {
    const { table, calls } = await fiveRows();
    const attempts = Array.from({ length: 20 }, (_, n) =>
      commit(service, [calls.insert('x', { n }), calls.insert('y', { n }), calls.insert('z', { n })]),
    );
    const answers = await Promise.all(attempts);
    const winners = answers.flatMap((own, n) => (own.length === 3 ? [n] : []));
    expect(winners).toHaveLength(1);
    const { x, y, z } = await rowsOf(service, table);
    expect([x, y, z]).toEqual([winners[0], winners[0], winners[0]]);
  });
});
