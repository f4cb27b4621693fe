import { describe, expect, it } from 'vitest';
import { expectRefusal, refusal } from '../support/expect-refusal.ts';
import {
  continuationOf,
  filterOption,
  nextPartition,
  nextRow,
  queryEntities,
  rowKeysIn,
  tokenOf,
  walkPages,
} from '../support/queries.ts';
import { startService } from '../support/service.ts';
import type { WireAnswer } from '../support/table-client.ts';

// Pages of queries with a filter. query-entities.test.ts tests queries without one.

const service = await startService();
const bounded = await startService({ pageBoundaries: 'partition' });

await service.createTable('pages');
for (const PartitionKey of ['p1', 'p2', 'p3']) {
  for (const row of [0, 1, 2, 3]) {
    await service.insert('pages', { PartitionKey, RowKey: `${PartitionKey}-row-${row}`, isEven: row % 2 === 0 });
  }
}

const ask = (filter: string, options = ''): Promise<WireAnswer> =>
  queryEntities(service, 'pages', `${filterOption(filter)}${options && `&${options}`}`);
const tokens = (page: WireAnswer): (string | undefined)[] => [page.header(nextPartition), page.header(nextRow)];
const remove = (table: string, row: string): Promise<WireAnswer> =>
  service.send({
    method: 'DELETE',
    path: `/${table}(PartitionKey='p',RowKey='${row}')`,
    headers: { 'If-Match': '*' },
  });

describe('A page of a filtered query', () => {
  it('is in key order, for any order of terms in the filter', async () => {
    const page = await ask(
      "PartitionKey eq 'p3' and isEven or RowKey eq 'p1-row-1' or PartitionKey eq 'p2' and isEven",
    );
    expect(rowKeysIn(page)).toEqual(['p1-row-1', 'p2-row-0', 'p2-row-2', 'p3-row-0', 'p3-row-2']);
  });

  it('ends with a token for the next entity that the filter selects', async () => {
    const first = await ask("RowKey eq 'p1-row-3' or PartitionKey eq 'p3'", '$top=1');
    expect(rowKeysIn(first)).toEqual(['p1-row-3']);
    expect(tokens(first)).toEqual([tokenOf('p3'), tokenOf('p3-row-0')]);
    const second = await ask("RowKey eq 'p1-row-3' or PartitionKey eq 'p3'", `$top=1&${continuationOf(first)}`);
    expect(rowKeysIn(second)).toEqual(['p3-row-0']);
    expect(tokens(second)).toEqual([tokenOf('p3'), tokenOf('p3-row-1')]);
  });

  it('has no token if the filter selects no further entity', async () => {
    for (const [filter, top] of [
      ["RowKey eq 'p1-row-3'", 1],
      ['isEven', 6],
      ["PartitionKey eq 'p2'", 4],
      ["PartitionKey eq 'p2' and RowKey eq 'p2-row-0'", 1],
      ["PartitionKey eq 'absent'", 1],
      ['false', 1],
    ] as const) {
      expect(tokens(await ask(filter, `$top=${top}`)), filter).toEqual([undefined, undefined]);
    }
  });

  it('of a missing table is refused: 404 TableNotFound', async () => {
    for (const filter of ["PartitionKey eq 'p' and RowKey eq 'r'", 'false', 'isEven']) {
      expectRefusal(await service.get(`/absent()?${filterOption(filter)}`), refusal('TableNotFound'));
    }
  });

  it.each([1, 2, 3, 5, 6, 7, 1000])(
    'of $top=%i leads to the next page, and all pages together are the complete result',
    async (top) => {
      const pages = await walkPages(service, 'pages', `${filterOption('isEven')}&$top=${top}`);
      expect(pages.flatMap(rowKeysIn)).toEqual(rowKeysIn(await ask('isEven')));
      expect(pages).toHaveLength(Math.ceil(6 / top));
    },
  );

  it('is empty and without a token for $top=0', async () => {
    const page = await ask('isEven', '$top=0');
    expect([page.status, page.body, ...tokens(page)]).toEqual([200, '{"value":[]}', undefined, undefined]);
  });

  it.each(['-1', '1001', 'ten', ''])('of $top=%s is refused before its filter: 400 InvalidInput', async (top) => {
    for (const filter of ['isEven', 'startswith(RowKey,p)']) {
      const answer = await service.get(`/pages()?$top=${top}&${filterOption(filter)}`);
      expectRefusal(answer, refusal('InvalidInput'));
    }
  });

  it('begins at the token, even if it is outside the bounds of the filter', async () => {
    const at = (partition: string, row: string): string =>
      `NextPartitionKey=${tokenOf(partition)}&NextRowKey=${tokenOf(row)}`;
    const filter = "PartitionKey eq 'p2' and RowKey ge 'p2-row-1'";
    expect(rowKeysIn(await ask(filter, at('a', 'a')))).toEqual(['p2-row-1', 'p2-row-2', 'p2-row-3']);
    expect(rowKeysIn(await ask(filter, at('p2', 'p2-row-2')))).toEqual(['p2-row-2', 'p2-row-3']);
    expect(rowKeysIn(await ask(filter, at('p3', 'a')))).toEqual([]);
    expect(rowKeysIn(await ask('isEven', at('p3', 'p3-row-1')))).toEqual(['p3-row-2']);
  });

  it('begins with the partition if the row key is omitted', async () => {
    expect(rowKeysIn(await ask('isEven', `NextPartitionKey=${tokenOf('p3')}`))).toEqual(['p3-row-0', 'p3-row-2']);
  });

  it('accepts tokens raw or percent-encoded', async () => {
    const { length } = rowKeysIn(await ask('isEven', 'NextPartitionKey=1!4!cDI-&NextRowKey=1!4!cDI-'));
    expect(length).toBe(4);
    expect(rowKeysIn(await ask('isEven', 'NextPartitionKey=1%214%21cDI-&NextRowKey=1%214%21cDI-'))).toHaveLength(4);
  });

  it.each([
    ['empty', 'NextPartitionKey=1!4!cDI-&NextRowKey='],
    ['of a wrong length', 'NextPartitionKey=1!5!cDI-&NextRowKey=1!4!cDI-'],
    ['no base64', 'NextPartitionKey=1!4!c%25I-&NextRowKey=1!4!cDI-'],
    ['without a partition', 'NextRowKey=1!4!cDI-'],
    ['of a table', `NextTableName=x&NextPartitionKey=garbage`],
  ])('with a malformed token is refused, %s: 400 InvalidInput', async (_, options) => {
    expectRefusal(await service.get(`/pages()?${filterOption('isEven')}&${options}`), refusal('InvalidInput'));
  });

  it('includes an entity that was inserted at or after the token, but not one that was deleted there', async () => {
    await service.createTable('moving');
    for (const RowKey of ['a', 'c', 'e']) await service.insert('moving', { RowKey, isEven: true });
    for (const RowKey of ['b', 'd']) await service.insert('moving', { RowKey, isEven: false });
    const next = continuationOf(await queryEntities(service, 'moving', `${filterOption('isEven')}&$top=1`));
    const rest = async (): Promise<string[]> =>
      rowKeysIn(await queryEntities(service, 'moving', `${filterOption('isEven')}&${next}`));
    expect(await rest()).toEqual(['c', 'e']);
    await remove('moving', 'c');
    expect(await rest()).toEqual(['e']);
    await service.insert('moving', { RowKey: 'c', isEven: true });
    await service.insert('moving', { RowKey: 'c0', isEven: true });
    await service.insert('moving', { RowKey: 'aa', isEven: true });
    expect(await rest()).toEqual(['c', 'c0', 'e']);
  });

  it('has at most 1000 entities that the filter selects', async () => {
    await service.createTable('many');
    const keys = Array.from({ length: 1203 }, (_, index) => String(index).padStart(4, '0'));
    await Promise.all(
      keys.map((RowKey, index) =>
        service.send({
          method: 'PUT',
          path: `/many(PartitionKey='p',RowKey='${RowKey}')`,
          body: `{"isKept":${index % 6 !== 0}}`,
        }),
      ),
    );
    const kept = keys.filter((_, index) => index % 6 !== 0);
    for (const top of ['', '&$top=1000']) {
      const pages = await walkPages(service, 'many', `${filterOption('isKept')}${top}`);
      expect(pages.map((page) => rowKeysIn(page).length)).toEqual([1000, 2]);
      expect(pages.flatMap(rowKeysIn)).toEqual(kept);
      expect(tokens(pages[0] as WireAnswer)).toEqual([tokenOf('p'), tokenOf(kept[1000] as string)]);
    }
    expect(tokens(await queryEntities(service, 'many', filterOption("RowKey lt '1000'")))).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('ends before its payload exceeds 4 MiB, with a token for the next entity that the filter selects', async () => {
    await service.createTable('heavy');
    // Each character has six characters in JSON, which makes 2.9 MB per entity.
    const text = '\u00e9'.repeat(32_000);
    const heavy = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`s${index}`, text]));
    for (const RowKey of ['a', 'b', 'c', 'd', 'e']) {
      const isKept = RowKey !== 'b' && RowKey !== 'd';
      await service.insert('heavy', { RowKey, isKept, ...heavy });
    }
    const pages = await walkPages(service, 'heavy', filterOption('isKept'));
    expect(pages.map(rowKeysIn)).toEqual([['a'], ['c'], ['e']]);
    expect(pages.map((page) => page.header(nextRow))).toEqual([tokenOf('c'), tokenOf('e'), undefined]);
    for (const { body } of pages) expect(body.length).toBeLessThanOrEqual(4 * 1024 * 1024);
  });
});

describe('If pages end with each partition', () => {
  const partitions = ['a', 'b', 'c', 'd'];
  const options = [
    '',
    filterOption('isLast'),
    filterOption("PartitionKey eq 'c' and isLast"),
    filterOption("PartitionKey gt 'a' and PartitionKey le 'c'"),
    filterOption("RowKey eq 'none'"),
    '$top=3',
    `${filterOption('not isLast')}&$top=2`,
  ];

  it('a page without selected entities has a token, and a later page contains the entities', async () => {
    for (const each of [service, bounded]) {
      await each.createTable('bounded');
      for (const PartitionKey of partitions) {
        for (const row of [0, 1, 2, 3]) {
          const isLast = PartitionKey === 'c' && row === 3;
          await each.insert('bounded', { PartitionKey, RowKey: `${PartitionKey}${row}`, isLast });
        }
      }
    }
    const pages = await walkPages(bounded, 'bounded', filterOption('isLast'));
    expect(pages.map(rowKeysIn)).toEqual([[], [], ['c3'], []]);
    expect(pages.map((page) => page.header(nextPartition))).toEqual([
      tokenOf('b'),
      tokenOf('c'),
      tokenOf('d'),
      undefined,
    ]);
  });

  it.each(options)('all pages together are the same as with ordinary pages: %s', async (option) => {
    const whole = (await walkPages(service, 'bounded', option)).flatMap(rowKeysIn);
    expect((await walkPages(bounded, 'bounded', option)).flatMap(rowKeysIn)).toEqual(whole);
  });

  it('no page has entities of two partitions, and $top ends a page earlier', async () => {
    expect((await walkPages(bounded, 'bounded', '')).map((page) => rowKeysIn(page).length)).toEqual([4, 4, 4, 4]);
    const byThree = await walkPages(bounded, 'bounded', '$top=3');
    expect(byThree.map((page) => rowKeysIn(page).length)).toEqual([3, 1, 3, 1, 3, 1, 3, 1]);
  });

  it('a query of one partition is one page', async () => {
    expect(await walkPages(bounded, 'bounded', filterOption("PartitionKey eq 'b'"))).toHaveLength(1);
  });
});
