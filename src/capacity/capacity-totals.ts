import { newRefusals, type RefusalsByLimit } from './refusals.ts';
import type { Limit } from './throttled.ts';

/** What has been counted of all accounts together, those included that are forgotten by now: it never falls. */
export interface CapacityTotals {
  units: number;
  pagesCut: number;
  readonly refusals: RefusalsByLimit;
}

export const newTotals = (): CapacityTotals => ({ units: 0, pagesCut: 0, refusals: newRefusals() });

const limits: readonly Limit[] = ['account', 'range', 'partition', 'moving'];

export function addTotals(sum: CapacityTotals, { units, pagesCut, refusals }: CapacityTotals): void {
  sum.units += units;
  sum.pagesCut += pagesCut;
  for (const limit of limits) {
    const [to, from] = [sum.refusals[limit], refusals[limit]];
    to.busy += from.busy;
    to.timedOut += from.timedOut;
    to.spared += from.spared;
  }
}
