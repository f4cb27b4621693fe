// Finds how a key design distributes entities over partitions, and what the advisor would find about such keys.

import type { KeyPattern } from '../../model/key-pattern.ts';
import { type AdvisorRules, thresholdsOf } from '../advisor-rules.ts';
import { busiestPartition } from '../busiest-partition.ts';
import { keyPatternOf } from '../key-patterns.ts';
import { ruleOfPattern } from '../pattern-rules.ts';
import { quotedString } from '../show-request.ts';
import { countWrite, Tables } from '../tables.ts';
import type { RuleId } from '../thresholds.ts';
import { areUnpadded } from '../unpadded-keys.ts';
import type { RateTargets } from '../window.ts';
import type { KeyedEntity } from './keyed-table.ts';

export interface Distribution {
  readonly entities: number;
  readonly partitions: number;
  /** The largest partition. Null if there are no entities. */
  readonly largest: { readonly partitionKey: string; readonly entities: number; readonly share: number } | null;
  /** Entities in a partition: half of the partitions have at most `p50`, nine in ten at most `p90`. */
  readonly quantiles: { readonly p50: number; readonly p90: number; readonly p99: number; readonly max: number };
  /**
   * The pattern in which new partitions appear. Null if the order of the writes is not known, or if there are too few
   * partitions to recognise a pattern.
   */
  readonly keyPattern: KeyPattern | null;
  /**
   * The highest number of entities per second that a program can write before a partition or the account exceeds its
   * target. The calculation assumes that writes are distributed over the partitions in the same proportions as the
   * entities of the sample.
   */
  readonly writesPerSecond: number;
  readonly findings: readonly KeyFinding[];
  /** The keys of the first, the middle and the last entity in the order of writing. */
  readonly examples: readonly { readonly partitionKey: string; readonly rowKey: string }[];
}

/** A finding of an advisor rule about the keys. docs/advisor describes the rules. */
export interface KeyFinding {
  readonly rule: RuleId;
  readonly text: string;
}

export interface JudgeOptions {
  readonly settings: AdvisorRules;
  readonly targets: RateTargets;
  /** Whether the entities are known to be in the order in which a program writes them. */
  readonly isOrderKnown: boolean;
}

export function distributionOf(written: readonly KeyedEntity[], options: JudgeOptions): Distribution {
  const counts = new Map<string, number>();
  for (const { partitionKey } of written) counts.set(partitionKey, (counts.get(partitionKey) ?? 0) + 1);
  const sizes = [...counts.values()].sort((a, b) => a - b);
  const largest = largestOf(counts, written.length);
  const keyPattern = patternOf(written, options);
  return {
    entities: written.length,
    partitions: counts.size,
    largest,
    quantiles: {
      p50: quantile(sizes, 0.5),
      p90: quantile(sizes, 0.9),
      p99: quantile(sizes, 0.99),
      max: sizes.at(-1) ?? 0,
    },
    keyPattern,
    writesPerSecond: writesPerSecond(largest?.share ?? 0, keyPattern, options.targets),
    findings: findingsOf(written, counts, { ...options, keyPattern }),
    examples: examplesOf(written),
  };
}

function largestOf(counts: ReadonlyMap<string, number>, all: number): Distribution['largest'] {
  let largest: Distribution['largest'] = null;
  for (const [partitionKey, entities] of counts) {
    if (entities > (largest?.entities ?? 0)) largest = { partitionKey, entities, share: entities / all };
  }
  return largest;
}

/** The smallest size that at least this share of the partitions does not exceed. */
function quantile(sizes: readonly number[], share: number): number {
  return sizes[Math.max(0, Math.ceil(sizes.length * share) - 1)] ?? 0;
}

/** The pattern that the advisor would find if the entities were inserted in this order. */
function patternOf(written: readonly KeyedEntity[], { settings, isOrderKnown }: JudgeOptions): KeyPattern | null {
  const table = new Tables().of('', 'simulated');
  if (!table) return null;
  const properties = new Map();
  for (const key of written) countWrite(table, { kind: 'insert', ...key, properties });
  if (!isOrderKnown) table.order = undefined;
  return keyPatternOf(table, settings);
}

/** If keys only grow or only fall, all writes at a given moment go to one partition. */
function writesPerSecond(share: number, pattern: KeyPattern | null, { account, partition }: RateTargets): number {
  if (share === 0) return 0;
  const isOneAtATime = pattern !== null && pattern !== 'spread';
  return Math.floor(Math.min(account, isOneAtATime ? partition : partition / share));
}

interface Judged extends JudgeOptions {
  readonly keyPattern: KeyPattern | null;
}

function findingsOf(
  written: readonly KeyedEntity[],
  counts: ReadonlyMap<string, number>,
  { settings, keyPattern }: Judged,
): readonly KeyFinding[] {
  const findings: KeyFinding[] = [];
  const isOn = (rule: RuleId): boolean => settings.rules?.[rule] !== false;
  if (keyPattern !== null && keyPattern !== 'spread') {
    findings.push({ rule: ruleOfPattern[keyPattern], text: patternTexts[keyPattern] });
  }
  const busiest = busiestPartition(counts, thresholdsOf('hot-partition', settings));
  if (busiest && isOn('hot-partition')) {
    const share = Math.round((100 * busiest.requests) / busiest.ofRequests);
    const text = `partition ${quotedString(busiest.key)} takes ${share} % of the writes`;
    findings.push({ rule: 'hot-partition', text });
  }
  for (const name of ['partitionKey', 'rowKey'] as const) {
    const keys = [...new Set(written.map((entity) => entity[name]))];
    if (!isOn('unpadded-numbers') || !areUnpadded(keys, thresholdsOf('unpadded-numbers', settings).keys)) continue;
    const key = name === 'rowKey' ? 'RowKey' : 'PartitionKey';
    findings.push({ rule: 'unpadded-numbers', text: `numbers in the ${key} are not padded: '111' sorts before '2'` });
  }
  return findings;
}

const patternTexts = {
  'append-only':
    'each new partition sorts after all earlier ones, so that all writes go to the last range of the table',
  'prepend-only':
    'each new partition sorts before all earlier ones, so that all writes go to the first range of the table',
  'single partition': 'all entities are in one partition, which cannot be divided between servers',
} as const;

function examplesOf(written: readonly KeyedEntity[]): Distribution['examples'] {
  const places = new Set([0, written.length >> 1, written.length - 1]);
  return [...places].flatMap((at) => {
    const entity = written[at];
    return entity ? [{ partitionKey: entity.partitionKey, rowKey: entity.rowKey }] : [];
  });
}
