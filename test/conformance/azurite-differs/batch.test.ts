import { describe, it } from 'vitest';
import { expectRefusal, refusal } from '../refusals.ts';
import { entityPath, startService } from '../service.ts';

const service = await startService();
await service.createTable('pets');

// D-24: what a batch may hold and how it fails is not built, so it is refused whole. The tests of the batch operation
// take over here: 101 operations, 5 MB, a duplicate row, rollback, a wrong ETag.
describe('A batch', () => {
  it('is answered 501 NotImplemented and writes nothing', async () => {
    const entity = '{"PartitionKey":"p","RowKey":"r"}';
    const body = [
      '--batch_a',
      'Content-Type: multipart/mixed; boundary=changeset_b',
      '',
      '--changeset_b',
      'Content-Type: application/http',
      'Content-Transfer-Encoding: binary',
      '',
      `POST ${service.base}/pets HTTP/1.1`,
      'Content-Type: application/json',
      'Accept: application/json;odata=minimalmetadata',
      '',
      entity,
      '--changeset_b--',
      '--batch_a--',
      '',
    ].join('\r\n');
    const headers = { 'Content-Type': 'multipart/mixed; boundary=batch_a' };
    expectRefusal(await service.send({ method: 'POST', path: '/$batch', headers, body }), refusal('NotImplemented'));
    expectRefusal(await service.get(entityPath('pets')), refusal('ResourceNotFound'));
  });
});
