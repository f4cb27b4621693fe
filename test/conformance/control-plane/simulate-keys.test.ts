import { describe, expect, it } from 'vitest';
import type { KeySimulation } from '../../../src/advisor/keys/simulate-keys.ts';
import { ask, type ControlAnswer, codeOf, messageOf } from '../../support/control-plane.ts';
import { filterOption, queryEntities } from '../../support/queries.ts';
import { entityPath, startService } from '../../support/service.ts';

const service = await startService();
const unadvised = await startService({ advisor: false });
await service.createTable('People');
await unadvised.createTable('People');
for (let id = 1; id <= 30; id++) {
  const entity = { PartitionKey: 'all', RowKey: `id${id}`, Team: id % 3 === 0 ? 'blue' : 'red', Id: id };
  await service.insert('People', entity);
  await unadvised.insert('People', entity);
}

const simulate = (body: object | string, at = service): Promise<ControlAnswer> =>
  ask(at.origin, { path: '/_emulator/simulate-keys', body });
const keys = { partitionKey: '{Team}', rowKey: '{Id:000}' };

describe('SimulateKeys', () => {
  it('tries the recent queries of the table, with the current keys and with the keys of the new design', async () => {
    for (const id of [3, 6, 9]) await queryEntities(service, 'People', filterOption(`Team eq 'blue' and Id eq ${id}`));
    await service.get(entityPath('People', 'all', 'id5'));
    await queryEntities(service, 'People', `${filterOption("PartitionKey eq 'all'")}&$top=4`);
    const { status, json, text } = await simulate({ table: 'people', ...keys });
    expect(status, text).toBe(200);
    const simulation = json as KeySimulation;
    expect(simulation.present).toMatchObject({ partitions: 1, largest: { partitionKey: 'all', share: 1 } });
    expect(simulation.tables[0]?.distribution).toMatchObject({
      partitions: 2,
      largest: { partitionKey: 'red', share: 2 / 3 },
    });
    const byShape = new Map(simulation.queries.map((query) => [query.shape, query]));
    expect(byShape.get("Team eq '…' and Id eq …")).toMatchObject({
      requests: 3,
      present: { plan: 'table scan', visited: 90, returned: 3, transactions: 3 },
      design: { plan: 'point', visited: 3, returned: 3, transactions: 3 },
    });
    expect(byShape.get("PartitionKey eq '…' and RowKey eq '…'")).toMatchObject({
      present: { plan: 'point', visited: 1 },
      design: { plan: 'table scan', visited: 30, returned: 1 },
    });
    expect(byShape.get("PartitionKey eq '…'")).toMatchObject({ top: 4, present: { visited: 4, returned: 4 } });
    expect(simulation.keeps).toEqual([
      { key: 'PartitionKey', property: 'OldPartitionKey' },
      { key: 'RowKey', property: 'OldRowKey' },
    ]);
  });

  it('knows no recent queries without an advisor, and accepts given queries', async () => {
    const none = (await simulate({ table: 'People', ...keys }, unadvised)).json as KeySimulation;
    expect(none.queries).toEqual([]);
    const queries = [{ filter: "Team eq 'red'", requests: 5 }];
    const given = (await simulate({ table: 'People', ...keys, queries }, unadvised)).json as KeySimulation;
    expect(given.queries[0]).toMatchObject({ requests: 5, design: { plan: 'partition scan', visited: 100 } });
  });

  it('simulates given entities, which need no keys, with a copy in a second table', async () => {
    const entities = '{"Name":"a","Id":1}\n\n{"Name":"b","Id":2}\n';
    const index = { partitionKey: '{Name}', rowKey: '' };
    const { json } = await simulate({
      entities,
      partitionKey: 'p',
      rowKey: '{Id}',
      index,
      queries: [{ filter: "Name eq 'b'" }],
    });
    expect(json).toMatchObject({
      present: null,
      tables: [{ name: 'table' }, { name: 'index' }],
      writes: { entities: 2, written: 4, transactions: 4, isAtomic: false },
      queries: [{ design: { table: 'index', plan: 'point', visited: 1 } }],
    });
  });

  it('changes nothing, and drops the queries of a table that was reset', async () => {
    const before = await service.get('/People()');
    await simulate({ table: 'People', ...keys });
    expect((await service.get('/People()')).body).toBe(before.body);
    await service.createTable('Gone');
    await service.insert('Gone', { Team: 'x', Id: 1 });
    await queryEntities(service, 'Gone', filterOption('Id eq 1'));
    const seen = async (): Promise<number> =>
      ((await simulate({ table: 'Gone', ...keys })).json as KeySimulation).queries.length;
    expect(await seen()).toBe(1);
    await ask(service.origin, { path: '/_emulator/reset', body: { account: 'devstoreaccount1', table: 'Gone' } });
    await service.insert('Gone', { Team: 'x', Id: 1 });
    expect(await seen()).toBe(0);
  });

  it.each([
    ['no key', { table: 'People' }, 'InvalidRequest', /lacks "partitionKey"/],
    ['neither a table nor entities', keys, 'InvalidRequest', /Give either "table" or "entities"/],
    ['both', { ...keys, table: 'People', entities: '{}' }, 'InvalidRequest', /Give either/],
    ['a member it does not know', { ...keys, table: 'People', tabel: 1 }, 'InvalidRequest', /"tabel"/],
    [
      'a broken key',
      { table: 'People', partitionKey: '{Team', rowKey: '' },
      'InvalidInput',
      /^"partitionKey": character 1: a \{/,
    ],
    [
      'a property that does not exist',
      { table: 'People', partitionKey: '{team}', rowKey: '' },
      'InvalidInput',
      /^No entity has team, but Team/,
    ],
    [
      'a refused filter',
      { ...keys, table: 'People', queries: [{ filter: 'Id gt' }] },
      'InvalidInput',
      /^"queries": the service refuses "Id gt"/,
    ],
    ['an order by nothing', { ...keys, table: 'People', orderBy: 'When' }, 'InvalidInput', /^No entity has When/],
    ['no entity', { ...keys, entities: '\n' }, 'InvalidInput', /^There is no entity/],
    ['entities that are none', { ...keys, entities: '{}\n[1]' }, 'InvalidRequest', /^"entities": line 2: /],
    [
      'copies that cannot be told apart',
      { ...keys, table: 'People', index: { ...keys, isInSameTable: true } },
      'InvalidInput',
      /^Copies in one table/,
    ],
  ])('refuses %s in one line', async (_, body, code, message) => {
    const answer = await simulate(body);
    expect([answer.status, codeOf(answer)], answer.text).toEqual([400, code]);
    expect(messageOf(answer)).toMatch(message);
    expect(messageOf(answer)).not.toContain('\n');
  });

  it('answers 404 for a table or an account that does not exist', async () => {
    expect(codeOf(await simulate({ ...keys, table: 'absent' }))).toBe('TableNotFound');
    expect(codeOf(await simulate({ ...keys, table: 'People', account: 'absent' }))).toBe('AccountNotFound');
  });
});
