import { expect, it } from 'vitest';
import { measureTable } from '../../../src/storage/measure-table.ts';
import type { ScanPage, Store } from '../../../src/storage/store.ts';

it('Measuring a table gives other requests their turn after each page', async () => {
  const events: string[] = [];
  const properties = '"n":1';
  let pages = 0;
  const scan = async (): Promise<ScanPage> => {
    events.push('page');
    setImmediate(() => events.push('turn'));
    pages++;
    const entities = [{ partitionKey: 'p', rowKey: String(pages), timestamp: '', properties }];
    const rest = pages < 3 ? { next: { partitionKey: 'p', rowKey: String(pages + 1) } } : {};
    return { kind: 'page', entities, visited: 1, end: 'limit', ...rest };
  };
  const store = { exists: async () => true, account: () => ({ scan }) } as unknown as Store;
  // Three entities of 4 B, the keys' two characters at 2 B, the property's 8 B, its name's character and a number.
  expect(await measureTable(store, { account: 'one', table: 'Pets' })).toBe(3 * (4 + 4 + 8 + 2 + 4));
  expect(events).toEqual(['page', 'turn', 'page', 'turn', 'page']);
});
