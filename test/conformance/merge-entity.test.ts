import { describe, expect, it } from 'vitest';
import { accepting } from '../support/expect-success.ts';
import { entityPath, startService } from '../support/service.ts';
import { describeCondition, describeRefusalsOfWrites, type WriteByKey, writer } from '../support/writes-by-key.ts';

const service = await startService();
await service.createTable('pets');

describe.each(['MERGE', 'PATCH'] as const)('Merge Entity by %s', (method) => {
  const operation: WriteByKey = { service, method, condition: { 'If-Match': '*' } };
  const merge = writer(operation);
  describeRefusalsOfWrites(operation);
  describeCondition(operation);

  it('adds and overwrites properties, including their types', async () => {
    const path = entityPath('pets', 'p', `laid${method}`);
    await service.insert('pets', { RowKey: `laid${method}`, kept: 1, changed: 2, retyped: 3 });
    await merge(path, '{"retyped@odata.type":"Edm.Int64","retyped":"4","changed":5,"added":6}');
    const { body } = await service.get(path);
    expect(body).toMatch(
      /"Timestamp":"[^"]+","added":6,"changed":5,"kept":1,"retyped@odata\.type":"Edm\.Int64","retyped":"4"}$/,
    );
  });

  it('keeps a property that is null in the request', async () => {
    const path = entityPath('pets', 'p', `null${method}`);
    await service.insert('pets', { RowKey: `null${method}`, n: 1 });
    await merge(path, '{"n":null}');
    expect((await service.get(path, accepting('nometadata'))).body).toContain('"n":1}');
  });

  it('keeps every property and sorts them when the body is empty', async () => {
    const path = entityPath('pets', 'p', `empty${method}`);
    const before = await service.insert('pets', { RowKey: `empty${method}`, z: 1, a: 2 });
    expect(before.body).toContain('"z":1,"a":2}');
    await merge(path, '{}');
    const after = await service.get(path);
    expect(after.body).toContain('"a":2,"z":1}');
    expect(after.header('ETag')).not.toBe(before.header('ETag'));
  });

  it('keeps values of every type unchanged', async () => {
    const path = entityPath('pets', 'p', `types${method}`);
    const members =
      '"b":true,"d":1.0,"g@odata.type":"Edm.Guid","g":"a455c695-df98-5678-aaaa-81d3367e5a34","i":-5,' +
      '"l@odata.type":"Edm.Int64","l":"-9223372036854775808","nan@odata.type":"Edm.Double","nan":"NaN","s":"\\u00e9\\"\\\\",' +
      '"t@odata.type":"Edm.DateTime","t":"9999-12-31T23:59:59.9999999Z","x@odata.type":"Edm.Binary","x":"AQI="';
    await service.insert('pets', `{"PartitionKey":"p","RowKey":"types${method}",${members}}`);
    await merge(path, '{"z":0}');
    expect((await service.get(path)).body).toContain(`,${members},"z":0}`);
  });
});
