// Query options that Azurite ignores, continuation tokens that make Azurite's pages end too early, and queries on which
// Azurite fails.

import { describe, expect, it } from 'vitest';
import { expectRefusal, refusal } from '../../support/expect-refusal.ts';
import { accepting } from '../../support/expect-success.ts';
import { filterOption, queryEntities, rowKeysIn } from '../../support/queries.ts';
import { startService } from '../../support/service.ts';

const service = await startService();
await service.createTable('rows');
for (const RowKey of ['a', 'b']) await service.insert('rows', { RowKey, i: 1 });

describe('A query option', () => {
  it.each(['$orderby=i', '$skip=1', '$expand=i', '$inlinecount=allpages', '$skiptoken=x'])(
    'that the service does not have, %s, is answered 501 NotImplemented',
    async (option) => {
      expectRefusal(await service.get(`/rows()?${option}`), refusal('NotImplemented'));
      expectRefusal(await service.get(`/rows()?${option}&${filterOption('i eq 1')}`), refusal('NotImplemented'));
    },
  );

  it.each(['foo=bar', '$count=true', '$orderbyABC=i', 'filter=i%20eq%202'])(
    'that is unknown, %s, is ignored',
    async (option) => {
      expect(rowKeysIn(await queryEntities(service, 'rows', option))).toEqual(['a', 'b']);
      expect(rowKeysIn(await queryEntities(service, 'rows', `${option}&${filterOption("RowKey eq 'a'")}`))).toEqual([
        'a',
      ]);
    },
  );
});

describe('$select', () => {
  it('returns null for a missing property, and everything for *', async () => {
    const { body } = await queryEntities(service, 'rows', '$select=Missing,i&$top=1');
    expect(body).toBe('{"value":[{"Missing":null,"i":1}]}');
    const all = await queryEntities(service, 'rows');
    expect((await queryEntities(service, 'rows', '$select=*')).body).toBe(all.body);
    expect(rowKeysIn(all)).toEqual(['a', 'b']);
  });
});

describe('A continuation that the service did not issue', () => {
  it.each(['NextPartitionKey=garbage!!&NextRowKey=%%', 'NextPartitionKey=garbage!!&NextRowKey=garbage', 'NextRowKey='])(
    'is answered 400 InvalidInput, not an empty page: %s',
    async (options) => {
      const answer = await service.get(`/rows()?${options}`);
      expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('"code":"InvalidInput"')]);
    },
  );
});

describe('A request that Azurite fails on', () => {
  it('is answered 500 InternalError by the service too, for a table filter that names another property', async () => {
    expectRefusal(await service.get(`/Tables?${filterOption("Foo eq 'tb'")}`), refusal('InternalError'));
  });

  it.each(['/rows(foo)', "/rows(PartitionKey='%zz',RowKey='r')"])(
    'is 400 if its address is malformed: %s',
    async (path) => {
      expect((await service.get(path)).status).toBe(400);
    },
  );
});

describe('$top=0', () => {
  it('returns no tables, no entities and no continuation', async () => {
    for (const path of ['/Tables?$top=0', '/rows()?$top=0']) {
      const answer = await service.get(path, accepting('nometadata'));
      expect([answer.status, answer.body]).toEqual([200, '{"value":[]}']);
      expect(answer.headers.filter(([name]) => name.startsWith('x-ms-continuation'))).toEqual([]);
    }
  });
});
