import { describe, expect, it } from 'vitest';
import { chaosRules } from '../../../src/faults/chaos-rules.ts';
import type { FaultSubject } from '../../../src/faults/match-rule.ts';
import { parseRules } from '../../../src/faults/parse-rule.ts';
import { RuleList } from '../../../src/faults/rule-list.ts';

const requestCount = 2_000;

/** How often each rule strikes an operation on distinct keys; `none` for the requests that are left alone. */
function strikesOn(operation: string, seed = 1): Readonly<Record<string, number>> {
  const list = new RuleList({ seed });
  list.add(chaosRules);
  const counts: Record<string, number> = {};
  for (let at = 0; at < requestCount; at++) {
    const label = list.choose(subjectOf(operation, `${at}`))?.label ?? 'none';
    counts[label] = (counts[label] ?? 0) + 1;
  }
  return counts;
}

const subjectOf = (operation: string, rowKey: string): FaultSubject => ({
  ...{ operation, account: 'devstoreaccount1', table: 'orders', partitionKey: 'p', rowKey },
  ...{ userAgent: 'azsdk-js', credential: 'key', isRefused: false, followsContinuation: false, isOfSecondary: false },
  members: [],
});

const shareLeftAlone = (counts: Readonly<Record<string, number>>): number => (counts['none'] ?? 0) / requestCount;

describe('The rules of the profile chaos', () => {
  it('are rules as a file holds them, each with a name that no other has', () => {
    expect(parseRules(JSON.parse(JSON.stringify(chaosRules)))).toEqual(chaosRules);
    expect(new Set(chaosRules.map(({ name }) => name)).size).toBe(chaosRules.length);
  });

  it('strike a tenth to a fifth of the requests, each of them now and then', () => {
    const [writes, queries] = [strikesOn('InsertEntity'), strikesOn('QueryEntities')];
    for (const counts of [writes, queries]) {
      expect(shareLeftAlone(counts)).toBeGreaterThan(0.78);
      expect(shareLeftAlone(counts)).toBeLessThan(0.92);
    }
    const struck = new Set([...Object.keys(writes), ...Object.keys(queries)]);
    expect(struck).toEqual(new Set(['none', ...chaosRules.map(({ name }) => name)]));
  });

  it('lose no response to a read after its commit, and end no write with a page', () => {
    expect(Object.keys(strikesOn('GetEntity')).filter((name) => /commit|page/.test(name))).toEqual([]);
    expect(Object.keys(strikesOn('InsertEntity')).filter((name) => name.includes('page'))).toEqual([]);
  });

  it('strike the same requests with the same seed, and others with another', () => {
    expect(strikesOn('InsertEntity', 7)).toEqual(strikesOn('InsertEntity', 7));
    expect(strikesOn('InsertEntity', 8)).not.toEqual(strikesOn('InsertEntity', 7));
  });
});
