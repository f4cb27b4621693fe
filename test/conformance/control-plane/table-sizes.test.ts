import { describe, expect, it } from 'vitest';
import type { TableSizes } from '../../../src/control/data/table-sizes.ts';
import { ask, type ControlAnswer, codeOf } from '../../support/control-plane.ts';
import { startService } from '../../support/service.ts';
import { developmentKey } from '../../support/table-client.ts';

const [first, unused] = ['devstoreaccount1', 'unusedaccount'];
const service = await startService({ accounts: [first, unused].map((name) => ({ name, keys: [developmentKey] })) });

const get = (query = ''): Promise<ControlAnswer> =>
  ask(service.origin, { method: 'GET', path: `/_emulator/tables${query}` });
const sizesOf = async (query = ''): Promise<TableSizes> => (await get(query)).json as TableSizes;

describe('The sizes of tables', () => {
  it('are counts of entities, bytes and partitions, listed by name in pages', async () => {
    expect(await sizesOf()).toEqual({ account: first, tables: [], next: null });
    for (const name of ['pets', 'Cars', 'empty']) await service.createTable(name);
    for (const [PartitionKey, RowKey] of [
      ['a', '1'],
      ['a', '2'],
      ['b', '1'],
    ]) {
      await service.insert('pets', { PartitionKey, RowKey, n: 1 });
    }
    await service.insert('Cars', { PartitionKey: 'a', RowKey: '1' });
    const [cars, empty, pets] = [
      { name: 'Cars', entities: 1, bytes: 8, partitions: 1, isWhole: true },
      { name: 'empty', entities: 0, bytes: 0, partitions: 0, isWhole: true },
      // Each entity counts 4 B, plus 2 B for each of the two characters of its keys, 8 B for the property, 2 B for the
      // name of the property, and 4 B for the number.
      { name: 'pets', entities: 3, bytes: 3 * (4 + 4 + 8 + 2 + 4), partitions: 2, isWhole: true },
    ];
    expect(await sizesOf()).toEqual({ account: first, tables: [cars, empty, pets], next: null });
    expect(await sizesOf('?limit=1')).toEqual({ account: first, tables: [cars], next: 'empty' });
    expect(await sizesOf('?limit=2&from=EMPTY')).toEqual({ account: first, tables: [empty, pets], next: null });
    expect(await sizesOf(`?account=${unused}`)).toEqual({ account: unused, tables: [], next: null });
  });

  it('are those of the first entities if a table is large', async () => {
    await service.createTable('wide');
    for (let at = 0; at < 40; at++) {
      const text = Object.fromEntries(Array.from({ length: 12 }, (_, part) => [`Text${part}`, 'x'.repeat(32_000)]));
      await service.insert('wide', { PartitionKey: 'p', RowKey: String(at).padStart(2, '0'), ...text });
    }
    const { tables } = await sizesOf('?from=wide&limit=1');
    expect(tables).toMatchObject([{ name: 'wide', isWhole: false, partitions: 1 }]);
    const { entities, bytes } = tables[0]!;
    expect(entities).toBeLessThan(40);
    expect(bytes).toBeGreaterThanOrEqual(16 * 1_048_576);
    expect(bytes).toBeLessThan(30 * 1_048_576);
  });

  it.each([
    ['an unknown account', '?account=nobody', 404, 'AccountNotFound'],
    ['no limit', '?limit=0', 400, 'InvalidRequest'],
    ['a limit beyond 100', '?limit=101', 400, 'InvalidRequest'],
    ['another parameter', '?table=pets', 400, 'InvalidRequest'],
    ['a name that is too long', `?from=${'a'.repeat(64)}`, 400, 'InvalidRequest'],
  ])('are refused for %s', async (_, query, status, code) => {
    const answer = await get(query);
    expect([answer.status, codeOf(answer)]).toEqual([status, code]);
  });
});
