import { describe, expect, it } from 'vitest';
import { rowKeysIn, rowsWhere } from '../support/queries.ts';
import { startService } from '../support/service.ts';

// Tests large filters. Some have the size of filters that programs generate, and some are larger. The request line and
// the headers together may have at most 64 KiB.

const service = await startService();
await service.createTable('pets');
for (const n of [0, 150, 299, 300]) await service.insert('pets', { RowKey: `r${n}`, n, b: true });

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const rows = (filter: string): Promise<string[]> => rowsWhere(service, 'pets', filter);

/** Encodes a filter with as few characters as possible. */
function compact(filter: string): string {
  return `/pets()?$filter=${encodeURIComponent(filter).replaceAll('%20', '+').replaceAll('%3A', ':')}`;
}

describe('A long filter', () => {
  it.each([15, 16, 51, 101, 300])('of %i comparisons is carried out', async (count) => {
    const last = count === 300 ? ['r0', 'r150', 'r299'] : count > 150 ? ['r0', 'r150'] : ['r0'];
    expect(
      await rows(
        numbers(count)
          .map((n) => `n eq ${n}`)
          .join(' or '),
      ),
    ).toEqual(last);
    expect(
      await rows(
        numbers(count)
          .map((n) => `n ne ${n + 1000}`)
          .join(' and '),
      ),
    ).toHaveLength(4);
  });

  it('of 300 comparisons in nested parentheses is carried out', async () => {
    const left = numbers(299).reduce((before, n) => `(${before} or n eq ${n + 1})`, 'n eq 0');
    expect(await rows(left)).toEqual(['r0', 'r150', 'r299']);
    const right = numbers(299).reduce((after, n) => `(n eq ${n + 1} or ${after})`, 'n eq 0');
    expect(await rows(right)).toEqual(['r0', 'r150', 'r299']);
  });

  it('of 300 nested parentheses, with or without negations, is carried out', async () => {
    expect(await rows(`${'('.repeat(300)}n eq 0${')'.repeat(300)}`)).toEqual(['r0']);
    expect(await rows(`${'not ('.repeat(300)}n eq 0${')'.repeat(300)}`)).toEqual(['r0']);
    expect(await rows(`${'not ('.repeat(299)}n eq 0${')'.repeat(299)}`)).toHaveLength(3);
  });

  it('of alternating and, or and not has the precedence of OData', async () => {
    const terms = numbers(100).map((n) => `n eq ${n * 3} and not (n ne ${n * 3}) and b`);
    expect(await rows(terms.join(' or '))).toEqual(['r0', 'r150']);
    expect(await rows(terms.map((term) => `(${term})`).join(' or '))).toEqual(['r0', 'r150']);
  });

  it('with a string of 60,000 characters is carried out', async () => {
    const answer = await service.get(compact(`n eq 0 and RowKey lt '${'x'.repeat(60_000)}'`));
    expect([answer.status, rowKeysIn(answer)]).toEqual([200, ['r0']]);
  });
});

describe('A filter beyond the bounds is answered 400 InvalidInput', () => {
  it.each([
    ['20,000 parentheses', `${'('.repeat(20_000)}n eq 0${')'.repeat(20_000)}`],
    ['20,000 open parentheses', '('.repeat(20_000)],
    ['10,000 negations', `${'not '.repeat(10_000)}b`],
    ['5,000 terms', `${'b or '.repeat(5000)}b`],
    ['10,000 nested calls', 'length('.repeat(8000)],
    ['60,000 digits', `n eq ${'9'.repeat(60_000)}`],
    ['60,000 quotes, an odd number', `s eq ${"'".repeat(20_001)}`],
  ])('%s', async (_, filter) => {
    const encoded = compact(filter).replaceAll('%28', '(').replaceAll('%29', ')').replaceAll('%27', "'");
    const answer = await service.get(encoded);
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('"code":"InvalidInput"')]);
    expect(await rows('n eq 0')).toEqual(['r0']);
  });
});
