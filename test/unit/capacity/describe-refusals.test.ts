import { describe, expect, it } from 'vitest';
import { describeBriefly, describeRefusals, quoteKey } from '../../../src/capacity/describe-refusals.ts';
import type { RefusalPlace } from '../../../src/capacity/refusal-journal.ts';

const nothing = { refused: 0, wouldThrottle: 0, pagesCut: 0, places: [] };
const account = 'devstoreaccount1';

describe('describeRefusals', () => {
  it.each<[RefusalPlace, string]>([
    [{ account, limit: 'account', requests: 863 }, 'devstoreaccount1 is over the target of an account (863)'],
    [
      { account, limit: 'range', table: 'orders', rangeFrom: 'm', requests: 12 },
      'the range of orders from "m" is over its target (12)',
    ],
    [
      { account, limit: 'range', table: 'orders', rangeFrom: '', requests: 12 },
      'the first range of orders is over its target (12)',
    ],
    [
      { account, limit: 'moving', table: 'orders', rangeFrom: 'm', requests: 3 },
      'the range of orders from "m" splits or merges (3)',
    ],
    [
      { account, limit: 'partition', table: 'orders', partitionKey: 'a', requests: 1_234 },
      'partition "a" of orders is over the target of a partition (1,234)',
    ],
    [
      { account, limit: 'partition', table: 'orders', partitionKey: '', requests: 1 },
      'partition "" of orders is over the target of a partition (1)',
    ],
  ])('names what is over its limit: %o', (place, text) => {
    const second = { ...nothing, wouldThrottle: 1_234, places: [place] };
    expect(describeRefusals(second, 'observe')).toBe(`production would have refused 1,234 requests: ${text}`);
    expect(describeRefusals({ ...second, wouldThrottle: 0, refused: 1 }, 'enforce')).toBe(
      `1 request refused for capacity: ${text}`,
    );
    expect(describeBriefly(second).join('')).toBe(`1,234 requests: ${text}`);
  });

  it('names only the place with the most refusals', () => {
    const places: RefusalPlace[] = [
      { account, limit: 'account', requests: 5 },
      { account, limit: 'partition', table: 'orders', partitionKey: 'a', requests: 1 },
    ];
    expect(describeRefusals({ ...nothing, wouldThrottle: 6, places }, 'observe')).toBe(
      'production would have refused 6 requests: devstoreaccount1 is over the target of an account (5)',
    );
  });

  it('mentions refusals, and pages that were cut', () => {
    const places: RefusalPlace[] = [{ account, limit: 'account', requests: 5 }];
    expect(describeRefusals({ ...nothing, wouldThrottle: 5, pagesCut: 39, places }, 'observe')).toBe(
      'production would have refused 5 requests and ended 39 pages of queries early: devstoreaccount1 is over the target of an account (5)',
    );
    expect(describeRefusals({ ...nothing, refused: 5, pagesCut: 39, places }, 'enforce')).toBe(
      '5 requests refused for capacity, 39 pages of queries ended early: devstoreaccount1 is over the target of an account (5)',
    );
    expect(describeBriefly({ ...nothing, refused: 5, pagesCut: 39 })).toEqual(['5 requests, 39 pages', '']);
  });

  it('says that pages were cut if targets are enforced, otherwise that they would have been', () => {
    expect(describeRefusals({ ...nothing, pagesCut: 39 }, 'observe')).toBe(
      'production would have ended 39 pages of queries early',
    );
    expect(describeRefusals({ ...nothing, pagesCut: 39 }, 'enforce')).toBe(
      '39 pages of queries ended early for capacity',
    );
    expect(describeRefusals({ ...nothing, pagesCut: 1 }, 'enforce')).toBe('1 page of a query ended early for capacity');
    expect(describeBriefly({ ...nothing, pagesCut: 1 })).toEqual(['1 page', '']);
  });

  it('has one line for any key', () => {
    const places: RefusalPlace[] = [
      { account, limit: 'partition', table: 'orders', partitionKey: 'a\n\u009b2J', requests: 1 },
    ];
    expect(describeRefusals({ ...nothing, wouldThrottle: 1, places }, 'observe')).toContain(
      'partition "a\\n\\u009b2J" of orders is',
    );
  });
});

describe('quoteKey', () => {
  it('escapes control and bidirectional characters', () => {
    const key = 'a"\u001b[2J\u009b2J\u007f\u202e\u2066\u2028é東😀';
    const quoted = quoteKey(key);
    expect(JSON.parse(quoted)).toBe(key);
    expect(quoted).toBe('"a\\"\\u001b[2J\\u009b2J\\u007f\\u202e\\u2066\\u2028é東😀"');
  });

  it('shortens a long key without splitting a character', () => {
    expect(quoteKey('x'.repeat(40))).toBe(`"${'x'.repeat(40)}"`);
    expect(quoteKey('x'.repeat(41))).toBe(`"${'x'.repeat(39)}…"`);
    expect(quoteKey('😀'.repeat(600))).toBe(`"${'😀'.repeat(39)}…"`);
  });
});
