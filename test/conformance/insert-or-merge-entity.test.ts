import { describe, expect, it } from 'vitest';
import { accepting, etagOf, expectSuccess } from '../support/expect-success.ts';
import { entityPath, startService } from '../support/service.ts';
import { describeRefusalsOfWrites, type WriteByKey, writer } from '../support/writes-by-key.ts';

const service = await startService();
await service.createTable('pets');

describe.each(['MERGE', 'PATCH'] as const)('Insert Or Merge Entity by %s', (method) => {
  const operation: WriteByKey = { service, method, condition: {} };
  const merge = writer(operation);
  describeRefusalsOfWrites(operation);

  it('inserts a missing entity: 204 with ETag and without Location', async () => {
    const path = entityPath('pets', 'p', `new${method}`);
    const answer = await merge(path, '{"b":1,"a":2,"x":null}');
    expectSuccess(answer, { status: 204, headers: { ETag: etagOf(answer) } });
    const { body } = await service.get(path, accepting('nometadata'));
    expect(body).toMatch(/"Timestamp":"[^"]+","a":2,"b":1}$/);
  });

  it('adds and overwrites properties, and keeps those that are null in the request', async () => {
    const path = entityPath('pets', 'p', `laid${method}`);
    await service.insert('pets', { RowKey: `laid${method}`, kept: 1, changed: 2, nulled: 3 });
    await merge(path, '{"changed":"text","nulled":null,"added":true}');
    const { body } = await service.get(path, accepting('nometadata'));
    expect(body).toMatch(/"Timestamp":"[^"]+","added":true,"changed":"text","kept":1,"nulled":3}$/);
  });
});
