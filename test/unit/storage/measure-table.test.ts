import { expect, it } from 'vitest';
import { measureTable, storedBytes } from '../../../src/storage/measure-table.ts';
import type { ScanPage, Store } from '../../../src/storage/store.ts';

/** A table with three entities in two partitions. Each page has one entity, of 22 B: see entityBytes. */
function openStore() {
  const events: string[] = [];
  let pages = 0;
  const scan = async (): Promise<ScanPage> => {
    events.push('page');
    setImmediate(() => events.push('turn'));
    pages++;
    const partitionKey = pages < 3 ? 'p' : 'q';
    const entities = [{ partitionKey, rowKey: String(pages), timestamp: '', properties: '"n":1' }];
    const rest = pages < 3 ? { next: { partitionKey, rowKey: String(pages + 1) } } : {};
    return { kind: 'page', entities, visited: 1, end: 'limit', ...rest };
  };
  return { events, store: { exists: async () => true, account: () => ({ scan }) } as unknown as Store };
}

const place = { account: 'one', table: 'Pets' };

it('Measuring a table lets other requests continue after each page', async () => {
  const { events, store } = openStore();
  expect(await storedBytes(store, place)).toBe(66);
  expect(events).toEqual(['page', 'turn', 'page', 'turn', 'page']);
});

it.each([
  [
    { entitiesMax: 3, bytesMax: 1_000 },
    { entities: 3, bytes: 66, partitions: 2, isWhole: true },
  ],
  [
    { entitiesMax: 2, bytesMax: 1_000 },
    { entities: 2, bytes: 44, partitions: 1, isWhole: false },
  ],
  [
    { entitiesMax: 9, bytesMax: 22 },
    { entities: 1, bytes: 22, partitions: 1, isWhole: false },
  ],
])('Measuring a table within %j stops at the limit', async (bounds, size) => {
  expect(await measureTable(openStore().store, place, bounds)).toEqual(size);
});

it('A table that cannot be read has no size', async () => {
  const fail = async (): Promise<never> => {
    throw new Error('damaged');
  };
  expect(await storedBytes({ exists: fail } as unknown as Store, place)).toBeNull();
});
