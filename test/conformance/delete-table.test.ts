import { describe, expect, it } from 'vitest';
import { expectRefusal, refusal } from '../support/expect-refusal.ts';
import { accepting, expectSuccess } from '../support/expect-success.ts';
import { entityPath, startService } from '../support/service.ts';
import type { WireAnswer } from '../support/table-client.ts';

const service = await startService();

function remove(path: string, headers = {}): Promise<WireAnswer> {
  return service.send({ method: 'DELETE', path, headers });
}

describe('Delete Table refuses', () => {
  it('a missing table: 404 ResourceNotFound, not TableNotFound', async () => {
    expectRefusal(await remove("/Tables('absent')"), refusal('ResourceNotFound'));
  });

  it.each(['x', 'not_a_name', 'tables', 'Tables', ''])('an invalid name, %j: 404', async (name) => {
    expectRefusal(await remove(`/Tables('${name}')`), refusal('ResourceNotFound'));
  });

  it('the set of all tables: 405 MethodNotAllowed', async () => {
    expectRefusal(await remove('/Tables'), refusal('MethodNotAllowed'));
  });
});

describe('Delete Table', () => {
  it('answers 204 with an empty body and no ETag', async () => {
    await service.createTable('Doomed');
    expectSuccess(await remove("/Tables('Doomed')"), { status: 204 });
    expectRefusal(await service.get("/Tables('Doomed')"), refusal('ResourceNotFound'));
  });

  it('does not repeat Prefer', async () => {
    await service.createTable('Preferring');
    expectSuccess(await remove("/Tables('Preferring')", { Prefer: 'return-no-content' }), { status: 204 });
  });

  it('needs no Accept header', async () => {
    await service.createTable('Unspoken');
    expectSuccess(await remove("/Tables('Unspoken')", { Accept: undefined }), { status: 204 });
  });

  it('finds the table in any case', async () => {
    await service.createTable('MixedCase');
    expectSuccess(await remove("/Tables('mIXEDcASE')"), { status: 204 });
  });

  it('deletes the entities too: later operations find no table', async () => {
    await service.createTable('Peopled');
    await service.insert('Peopled', { n: 1 });
    expectSuccess(await remove("/Tables('Peopled')"), { status: 204 });
    for (const path of ['/Peopled()', entityPath('Peopled')]) {
      expectRefusal(await service.get(path), refusal('TableNotFound'));
    }
    const { body } = await service.get('/Tables', accepting('nometadata'));
    expect(body).not.toContain('Peopled');
  });

  it('leaves nothing behind: the table is empty if it is created again', async () => {
    await service.createTable('Phoenix');
    await service.insert('Phoenix', { n: 1 });
    await remove("/Tables('Phoenix')");
    await service.createTable('PHOENIX');
    expect((await service.get('/phoenix', accepting('nometadata'))).body).toBe('{"value":[]}');
    const { body } = await service.get("/Tables('phoenix')", accepting('nometadata'));
    expect(body).toBe('{"TableName":"PHOENIX"}');
  });

  it('does not affect other tables', async () => {
    await service.createTable('Kept');
    await service.insert('Kept', { n: 1 });
    await service.createTable('KeptNot');
    await remove("/Tables('KeptNot')");
    expect((await service.get(entityPath('Kept'))).status).toBe(200);
  });
});
