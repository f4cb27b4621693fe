import { describe, expect, it } from 'vitest';
import { chaosRules } from '../../../src/faults/chaos-rules.ts';
import type { FaultSubject } from '../../../src/faults/match-rule.ts';
import { parseRules } from '../../../src/faults/parse-rule.ts';
import { RuleList } from '../../../src/faults/rule-list.ts';

const requestCount = 2_000;

/** How often each rule strikes an operation on distinct keys. `none` counts the requests that no rule strikes. */
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
  it('are valid rules for a file, each with a different name', () => {
    expect(parseRules(JSON.parse(JSON.stringify(chaosRules)))).toEqual(chaosRules);
    expect(new Set(chaosRules.map(({ name }) => name)).size).toBe(chaosRules.length);
  });

  it('strike a tenth to a fifth of the requests, and each rule strikes some', () => {
    const [writes, queries] = [strikesOn('InsertEntity'), strikesOn('QueryEntities')];
    for (const counts of [writes, queries]) {
      expect(shareLeftAlone(counts)).toBeGreaterThan(0.78);
      expect(shareLeftAlone(counts)).toBeLessThan(0.92);
    }
    const struck = new Set([...Object.keys(writes), ...Object.keys(queries)]);
    expect(struck).toEqual(new Set(['none', ...chaosRules.map(({ name }) => name)]));
  });

  it('strike no read after its commit, and no write with a fault of pages', () => {
    expect(Object.keys(strikesOn('GetEntity')).filter((name) => /commit|page/.test(name))).toEqual([]);
    expect(Object.keys(strikesOn('InsertEntity')).filter((name) => name.includes('page'))).toEqual([]);
  });

  it('strike the same requests with the same seed, and other requests with another seed', () => {
    expect(strikesOn('InsertEntity', 7)).toEqual(strikesOn('InsertEntity', 7));
    expect(strikesOn('InsertEntity', 8)).not.toEqual(strikesOn('InsertEntity', 7));
  });
});
