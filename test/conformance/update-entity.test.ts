import { describe, expect, it } from 'vitest';
import { accepting } from '../support/expect-success.ts';
import { entityPath, startService } from '../support/service.ts';
import { describeCondition, describeRefusalsOfWrites, type WriteByKey, writer } from '../support/writes-by-key.ts';

const service = await startService();
await service.createTable('pets');

const operation: WriteByKey = { service, method: 'PUT', condition: { 'If-Match': '*' } };
const update = writer(operation);

describe('Update Entity', () => {
  describeRefusalsOfWrites(operation);
  describeCondition(operation);

  it('removes properties that are absent or null in the request', async () => {
    const path = entityPath('pets', 'p', 'replaced');
    await service.insert('pets', { RowKey: 'replaced', kept: 1, dropped: 2, nulled: 3 });
    await update(path, '{"kept":"now text","nulled":null,"added":true}');
    const { body } = await service.get(path, accepting('nometadata'));
    expect(body).toMatch(/"Timestamp":"[^"]+","added":true,"kept":"now text"}$/);
  });

  it('removes all properties if the body is an empty object', async () => {
    const path = entityPath('pets', 'p', 'emptied');
    await service.insert('pets', { RowKey: 'emptied', n: 1 });
    await update(path, '{}');
    const { body } = await service.get(path, accepting('nometadata'));
    expect(body).toMatch(/^{"PartitionKey":"p","RowKey":"emptied","Timestamp":"[^"]+"}$/);
  });
});
