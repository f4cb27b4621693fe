import { newRefusals, type RefusalsByLimit } from './refusals.ts';

/** What has been counted of all accounts together, those included that are forgotten by now: it never falls. */
export interface CapacityTotals {
  units: number;
  pagesCut: number;
  readonly refusals: RefusalsByLimit;
}

export const newTotals = (): CapacityTotals => ({ units: 0, pagesCut: 0, refusals: newRefusals() });
