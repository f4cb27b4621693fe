import { describe, expect, it } from 'vitest';
import { accepting, etagOf, expectSuccess } from '../support/expect-success.ts';
import { entityPath, startService } from '../support/service.ts';
import { describeRefusalsOfWrites, type WriteByKey, writer } from '../support/writes-by-key.ts';

const service = await startService();
await service.createTable('pets');

const operation: WriteByKey = { service, method: 'PUT', condition: {} };
const put = writer(operation);

describe('Insert Or Replace Entity', () => {
  describeRefusalsOfWrites(operation);

  it('inserts a missing entity, with the response of a replacement: 204 with ETag and without Location', async () => {
    const path = entityPath('pets', 'p', 'new');
    const answer = await put(path, '{"b":1,"a":2,"x":null}');
    expectSuccess(answer, { status: 204, headers: { ETag: etagOf(answer) } });
    const { body } = await service.get(path, accepting('nometadata'));
    expect(body).toMatch(/"Timestamp":"[^"]+","a":2,"b":1}$/);
  });

  it('inserts without keys in the body, and with empty keys in the address', async () => {
    expect((await put(entityPath('pets', '', ''), '{}')).status).toBe(204);
    const { body } = await service.get(entityPath('pets', '', ''), accepting('nometadata'));
    expect(body).toMatch(/^{"PartitionKey":"","RowKey":"","Timestamp":"[^"]+"}$/);
  });

  it('replaces an existing entity: properties that are not in the request are removed', async () => {
    const path = entityPath('pets', 'p', 'replaced');
    await service.insert('pets', { RowKey: 'replaced', kept: 1, dropped: 2, nulled: 3 });
    await put(path, '{"kept":4,"nulled":null}');
    const { body } = await service.get(path, accepting('nometadata'));
    expect(body).toMatch(/"Timestamp":"[^"]+","kept":4}$/);
  });

  it('ignores an empty If-Match', async () => {
    const path = entityPath('pets', 'p', 'emptyCondition');
    expect((await put(path, '{}', { 'If-Match': '' })).status).toBe(204);
  });
});
