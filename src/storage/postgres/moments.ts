import { type Ticks, ticksFromMs } from '../../model/ticks.ts';
import type { ModelTime } from '../../model/time.ts';
import { momentSlots } from './schema.ts';

/** The clock of this node; the database makes sure that timestamps increase whatever it says. */
export function nowTicks(modelTime: Pick<ModelTime, 'nowMs'>): Ticks {
  return ticksFromMs(modelTime.nowMs());
}

/** The bucket of a partition, in which timestamps increase: FNV-1a over the code units of the three names. */
export function slotOf(account: string, lookup: string, partitionKey: string): number {
  let hash = 0x811c9dc5;
  for (const text of [account, lookup, partitionKey]) {
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    // Between two names.
    hash = Math.imul(hash ^ 0xffff, 0x01000193);
  }
  return (hash ^ (hash >>> 15)) & (momentSlots - 1);
}
