// Names in addresses that no table can have. Evidence: sdk (azure-sdk-for-python, test_table_name_errors: insert, upsert,
// delete, Get Table ACL, a batch); that get, query, update, merge and Set Table ACL are refused alike is assumed.

import { describe, expect, it } from 'vitest';
import { callsOn, changesetBody, outcomesIn, sendBatch } from '../support/batch-requests.ts';
import { expectRefusal, refusal } from '../support/expect-refusal.ts';
import { entityPath, startService } from '../support/service.ts';

const service = await startService();
const { base } = service;

const badCharacters = refusal('InvalidResourceName');
const badLength = refusal('OutOfRangeInput', {
  message: 'The specified resource name length is not within the permissible limits.',
});
const names = [
  ['1table', badCharacters],
  ['my_table', badCharacters],
  ['a%2F%2F', badCharacters],
  ['my-table', badCharacters],
  ['aa', badLength],
  ['a'.repeat(64), badLength],
] as const;

describe.each(names)('A table named %s', (name, refused) => {
  const condition = { 'If-Match': '*' };

  it.each([
    ['Insert Entity', { method: 'POST', path: `/${name}`, body: '{"PartitionKey":"p","RowKey":"r"}' }],
    ['Insert Or Replace Entity', { method: 'PUT', path: entityPath(name), body: '{}' }],
    ['Insert Or Merge Entity', { method: 'MERGE', path: entityPath(name), body: '{}' }],
    ['Update Entity', { method: 'PUT', path: entityPath(name), headers: condition, body: '{}' }],
    ['Merge Entity', { method: 'PATCH', path: entityPath(name), headers: condition, body: '{}' }],
    ['Delete Entity', { method: 'DELETE', path: entityPath(name), headers: condition }],
    ['Get Entity', { method: 'GET', path: entityPath(name) }],
    ['Query Entities', { method: 'GET', path: `/${name}()` }],
  ])('is refused by %s', async (_, request) => {
    expectRefusal(await service.send(request), refused);
  });

  it.each([
    ['Get Table ACL', { method: 'GET', path: `/${name}?comp=acl` }],
    ['Set Table ACL', { method: 'PUT', path: `/${name}?comp=acl`, body: '' }],
  ])('is refused by %s', async (_, request) => {
    const answer = await service.send(request);
    expect([answer.status, answer.header('x-ms-error-code'), answer.reason]).toEqual([
      refused.status,
      refused.code,
      refused.message,
    ]);
  });

  it('is refused inside a batch', async () => {
    const calls = callsOn(base, name);
    for (const call of [calls.insert('r'), calls.put('r'), calls.remove('r')]) {
      const answer = await sendBatch(service, changesetBody([call]));
      expect(outcomesIn(answer)).toEqual([`${refused.status} ${refused.code}`]);
      expect(answer.body).toContain(refused.message);
    }
  });
});

describe('The name of a system table', () => {
  it('is one that no table has: 404 TableNotFound', async () => {
    expectRefusal(await service.get('/$MetricsTransactionsTable()'), refusal('TableNotFound'));
  });
});
