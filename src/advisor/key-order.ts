import type { KeyBounds } from './observation.ts';
import { type Candidate, Tally } from './rule.ts';
import { keyShape, literal, writeText } from './show-request.ts';
import { groupBy, type Window, type Write } from './window.ts';

export interface KeyOrder {
  readonly share: number;
  /** New partitions at least. */
  readonly partitions: number;
  /** Whether a new key lies on the far side of all earlier ones. */
  readonly isBeyond: (key: string, seen: KeyBounds) => boolean;
}

/** Tables whose new partitions are written in the order of their keys. */
export function judgeKeyOrder({ written }: Window, { share, partitions, isBeyond }: KeyOrder): readonly Candidate[] {
  const tally = new Tally();
  for (const [table, list] of groupBy(written, (write) => write.table)) {
    const { keys, beyond } = newKeys(list, { before: table.keys, isBeyond });
    const write = list.findLast(canEnter);
    // The first partition of a table has none to lie beyond.
    const others = keys.length - (table.keys ? 0 : 1);
    if (!write || keys.length < partitions || beyond < others * share) continue;
    const figures = { newPartitions: keys.length, beyondAllEarlier: beyond, keyShape: keyShape(write.partitionKey) };
    const examples = keys.slice(-3).map(literal);
    tally.add({ by: write.by, times: beyond, evidence: () => ({ ...figures, examples, request: writeText(write) }) });
  }
  return tally.candidates;
}

/** An update or a deletion finds its entity, and so its partition, there already. */
const canEnter = ({ operation }: Write): boolean => operation.startsWith('Insert');

interface Order extends Pick<KeyOrder, 'isBeyond'> {
  readonly before: KeyBounds | undefined;
}

/** The partitions that appear, in order, and how many of them lie beyond all that were there. */
function newKeys(list: readonly Write[], { before, isBeyond }: Order): { keys: readonly string[]; beyond: number } {
  const known = new Set<string>();
  const keys: string[] = [];
  let bounds = before;
  let beyond = 0;
  for (const write of list) {
    const { partitionKey: key } = write;
    if (known.has(key)) continue;
    known.add(key);
    if (canEnter(write)) {
      keys.push(key);
      if (bounds && isBeyond(key, bounds)) beyond++;
    }
    const { first, last }: KeyBounds = bounds ?? { first: key, last: key };
    bounds = { first: key < first ? key : first, last: key > last ? key : last };
  }
  return { keys, beyond };
}
