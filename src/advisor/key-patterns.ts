// Finds the pattern of a table's keys, for the rules about keys, for the capacity report and for the heat map.

import type { KeyPattern } from '../model/key-pattern.ts';
import { type AdvisorRules, thresholdsOf } from './advisor-rules.ts';
import type { Table } from './observation.ts';
import { type JudgedPattern, ruleOfPattern } from './pattern-rules.ts';
import { type Candidate, noCost } from './rule.ts';
import { keyedText, keyShape, quotedString } from './show-request.ts';

/**
 * Returns the pattern of a table's keys. Returns null while the table has too few partitions to recognise a pattern, or
 * if the rule about the pattern is turned off.
 */
export function keyPatternOf(table: Table, settings: AdvisorRules): KeyPattern | null {
  for (const pattern of ['single partition', 'append-only', 'prepend-only'] as const) {
    if (!hasPattern(table, pattern, settings)) continue;
    return settings.rules?.[ruleOfPattern[pattern]] === false ? null : pattern;
  }
  return table.order?.pattern(thresholdsOf('append-only-keys', settings)) ? 'spread' : null;
}

function hasPattern(table: Table, pattern: JudgedPattern, settings: AdvisorRules): boolean {
  if (pattern === 'single partition') return isLone(table, thresholdsOf('lone-partition', settings));
  return table.order?.pattern(thresholdsOf(ruleOfPattern[pattern], settings)) === pattern;
}

/** Whether a table has more than `entities` entities, and all of them are in one partition. */
export function isLone({ hasSeveralPartitions, entities }: Table, thresholds: { readonly entities: number }): boolean {
  return !hasSeveralPartitions && (entities?.estimate() ?? 0) > thresholds.entities;
}

/** A candidate for each table in which new partitions follow the pattern. */
export function judgeOrder(
  tables: readonly Table[],
  pattern: 'append-only' | 'prepend-only',
  thresholds: { readonly share: number; readonly partitions: number },
): readonly Candidate[] {
  return tables.flatMap(({ account, name, order, lastAtMs }) => {
    if (order?.pattern(thresholds) !== pattern || !order.newest) return [];
    const { newPartitions, newest, examples } = order;
    const evidence = {
      newPartitions,
      keyShape: keyShape(newest.partitionKey),
      examples: examples.map(quotedString),
      request: keyedText('POST', name, newest),
    };
    const times = { firstAtMs: lastAtMs, lastAtMs };
    return [{ account, table: name, subject: '', count: newPartitions, least: 1, ...times, evidence, cost: noCost }];
  });
}
