// Names that no table can have. Evidence: recorded (azure-sdk-for-python, test_table_name_errors: Create Table, Insert,
// Insert Or Merge, Delete, Get Table ACL, a batch with Insert Or Merge). The name `my-table` was not recorded. It is
// assumed that other operations refuse a name in an address in the same way.

import { describe, it } from 'vitest';
import { callsOn, changesetBody, expectFailure, sendBatch } from '../support/batch-requests.ts';
import { expectRefusal, refusal } from '../support/expect-refusal.ts';
import { aclPath, expectServiceRefusal, putXml } from '../support/expect-xml.ts';
import { entityPath, startService } from '../support/service.ts';

const service = await startService();
const { base } = service;

const badCharacters = refusal('InvalidResourceName');
const badLength = refusal('OutOfRangeInput', {
  message: 'The specified resource name length is not within the permissible limits.',
});

describe('A new table', () => {
  it.each([
    ['1table', badCharacters],
    ['my_table', badCharacters],
    ['a//', badCharacters],
    ['my-table', badCharacters],
    ['aa', badLength],
    ['a'.repeat(64), badLength],
  ])('named %s is refused while the request is carried out', async (name, refused) => {
    const body = JSON.stringify({ TableName: name });
    expectRefusal(await service.send({ method: 'POST', path: '/Tables', body }), refused);
  });
});

// An encoded slash ends the table's name.
describe.each([
  ['1table', badCharacters],
  ['my_table', badCharacters],
  ['my-table', badCharacters],
  ['abc%2F', badCharacters],
  ['a%2F%2F', badLength],
  ['aa', badLength],
  ['a'.repeat(64), badLength],
])('A table named %s in an address', (name, expected) => {
  const condition = { 'If-Match': '*' };
  const refused = { ...expected, stage: 'reading' } as const;

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

  it('is refused by Get Table ACL and Set Table ACL', async () => {
    expectServiceRefusal(await service.get(aclPath(name)), refused);
    expectServiceRefusal(await putXml(service, aclPath(name), '<SignedIdentifiers/>'), refused);
  });

  it('is refused inside a batch', async () => {
    const calls = callsOn(base, name);
    for (const call of [calls.patch('r'), calls.insert('r'), calls.put('r'), calls.remove('r')]) {
      expectFailure(await sendBatch(service, changesetBody([call])), refused, { prefix: '0:' });
    }
    const second = await sendBatch(service, changesetBody([callsOn(base, 'pets').put('r'), calls.put('r')]));
    expectFailure(second, refused, { prefix: '1:' });
  });
});

describe('The name of a system table', () => {
  it('is never the name of a table: 404 TableNotFound', async () => {
    expectRefusal(await service.get('/$MetricsTransactionsTable()'), refusal('TableNotFound'));
  });
});
