import { type Candidate, Tally } from './rule.ts';
import { keyShape, literal, writeText } from './show-request.ts';
import { groupBy, type Window } from './window.ts';

export interface KeyOrder {
  readonly share: number;
  /** New partitions at least. */
  readonly partitions: number;
  /** Whether a new key lies on the far side of all earlier ones. */
  readonly isBeyond: (key: string, seen: { readonly first: string; readonly last: string }) => boolean;
}

/** Tables whose new partitions are written in the order of their keys. */
export function judgeKeyOrder({ written }: Window, { share, partitions, isBeyond }: KeyOrder): readonly Candidate[] {
  const tally = new Tally();
  const entering = written.filter(({ operation }) => operation !== 'DeleteEntity');
  for (const list of groupBy(entering, ({ table }) => table).values()) {
    const keys = new Set(list.map(({ partitionKey }) => partitionKey));
    const [first = '', ...rest] = keys;
    if (keys.size < partitions) continue;
    const seen = { first, last: first };
    let beyond = 0;
    for (const key of rest) {
      if (isBeyond(key, seen)) beyond++;
      if (key < seen.first) seen.first = key;
      if (key > seen.last) seen.last = key;
    }
    const write = list.at(-1);
    if (!write || beyond < rest.length * share) continue;
    const figures = { newPartitions: keys.size, beyondAllEarlier: beyond, keyShape: keyShape(write.partitionKey) };
    const examples = [...keys].slice(-3).map(literal);
    tally.add({ by: write.by, times: beyond, evidence: () => ({ ...figures, examples, request: writeText(write) }) });
  }
  return tally.candidates;
}
