import type { Observation } from './observation.ts';
import { groupBy, isWriteOperation } from './window.ts';

/** The number of requests for which an observation counts in a window: itself and the requests inside it. */
export const weightOf = ({ members }: Observation): number => 1 + members.length;

export const totalWeight = (list: readonly Observation[]): number => list.reduce((sum, by) => sum + weightOf(by), 0);

export interface ThinnedOut {
  readonly kept: Observation[];
  readonly writes: readonly Observation[];
}

/**
 * Removes observations until the weight of the remaining observations is at most `weightMax`. Each step chooses the
 * kind of request (operation and table) with the largest weight, and removes the older half of its observations.
 * Requests of rare kinds therefore stay, and the remaining requests of each kind are consecutive. `all` is in the order
 * of the answers. The `writes` of the result contain at least one example of each kind of write that was thinned out.
 */
export function thinOut(all: readonly Observation[], weightMax: number): ThinnedOut {
  const writes = new Set<Observation>();
  const kinds = [
    ...groupBy(all, ({ operation, table }) => `${operation} ${table?.account}/${table?.name}`).values(),
  ].map((list) => ({ list, weight: totalWeight(list) }));
  let weight = kinds.reduce((sum, kind) => sum + kind.weight, 0);
  while (weight > weightMax) {
    const heaviest = kinds.reduce((a, b) => (b.weight > a.weight ? b : a));
    weight -= heaviest.weight;
    const [first] = heaviest.list;
    if (first && isWriteOperation(first.operation)) writes.add(first);
    heaviest.list = heaviest.list.slice(Math.ceil(heaviest.list.length / 2));
    heaviest.weight = totalWeight(heaviest.list);
    weight += heaviest.weight;
  }
  const kept = kinds.flatMap(({ list }) => list).sort((a, b) => a.sequence - b.sequence);
  return { kept, writes: [...writes] };
}
