// The contract suite. Every engine must keep the promises of src/storage/store.ts, and so must the reference store with
// which tests compare the engines. Each title begins with the number of its promise.

import { afterEach, beforeEach, describe } from 'vitest';
import { describeAtomicity } from './contract/atomicity.ts';
import { describeClearing } from './contract/clearing.ts';
import { describeDurability } from './contract/durability.ts';
import type { Given, StoreKind } from './contract/given.ts';
import { describeKeyOrder } from './contract/key-order.ts';
import { describeLoads } from './contract/loads.ts';
import { describeMutations } from './contract/mutations.ts';
import { describeOrder } from './contract/order.ts';
import { describePages } from './contract/pages.ts';
import { describeReopening } from './contract/reopening.ts';
import { describeSettings } from './contract/settings.ts';
import { describeReopenedSnapshots, describeSnapshots } from './contract/snapshots.ts';
import { describeTables } from './contract/tables.ts';
import { describeTimestamps } from './contract/timestamps.ts';
import { describeValues } from './contract/values.ts';
import { describeViews } from './contract/views.ts';
import { describeVisits } from './contract/visits.ts';

export function describeStoreContract(name: string, { open, persists, keepsOrder }: StoreKind): void {
  describe(name, () => {
    let current: Given | undefined;
    const given = (): Given => {
      if (!current) throw new Error('the store is open only inside a test');
      return current;
    };
    beforeEach(async () => {
      current = await open();
    });
    afterEach(async () => {
      await current?.dispose();
      current = undefined;
    });

    describeDurability(given);
    describeAtomicity(given);
    describeMutations(given);
    describeTimestamps(given);
    describePages(given);
    describeVisits(given);
    describeKeyOrder(given);
    describeTables(given);
    describeClearing(given);
    describeLoads(given);
    describeSnapshots(given);
    describeViews(given);
    describeSettings(given);
    describeValues(given);
    if (persists) {
      describeReopening(given);
      describeReopenedSnapshots(given);
    }
    if (keepsOrder) describeOrder(given);
  });
}
