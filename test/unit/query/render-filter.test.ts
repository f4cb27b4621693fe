import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFilterReader } from '../../../src/query/read-filter.ts';
import { renderFilter } from '../../../src/query/render-filter.ts';
import { anyFilter } from './filters.ts';

const { readFilter } = createFilterReader();
const rendered = (text: string): string | undefined => {
  const filter = readFilter(text);
  return filter && renderFilter(filter);
};

describe('the text of a filter', () => {
  it.each([
    ["PartitionKey eq 'a' and (Age gt 5L or not (Name eq 'x'))"],
    ['A eq 1 and B eq 1 or C eq 1'],
    ['(A eq 1 or B eq 1) and C eq 1'],
    ['not (A and B) or not C or not true or not not D'],
    ["S eq 'it''s' and D lt -INF and E ge 3.0 and F ne 1.5E-07"],
    ["G eq guid'a455c695-df98-5678-aaaa-81d3367e5a34' and H eq X'00ff' and T le datetime'2024-05-01T10:00:01.5Z'"],
  ])('%s is canonical', (text) => {
    expect(rendered(text)).toBe(text);
  });

  it.each([
    ['((A eq 1) and ((B eq 1)))', 'A eq 1 and B eq 1'],
    ['(A eq 1 and B eq 1) or C eq 1', 'A eq 1 and B eq 1 or C eq 1'],
    ['5 lt A', 'A gt 5'],
    ['not A eq 1', 'not (A eq 1)'],
    ["A eq x'FF'", "A eq X'ff'"],
  ])('%s becomes %s', (text, canonical) => {
    expect(rendered(text)).toBe(canonical);
  });

  it('is parsed to the same filter', () => {
    fc.assert(
      fc.property(anyFilter, (filter) => {
        expect(readFilter(renderFilter(filter))).toEqual(filter);
      }),
      { numRuns: 500 },
    );
  });
});
