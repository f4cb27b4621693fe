import { describe, expect, it } from 'vitest';
import { expectRefusal, querySyntax, refusal } from '../support/expect-refusal.ts';
import { accepting, etagOf, expectSuccess } from '../support/expect-success.ts';
import { entityPath, startService } from '../support/service.ts';
import type { WireAnswer, WireHeaders } from '../support/table-client.ts';

const service = await startService();
await service.createTable('pets');

function remove(path: string, headers: WireHeaders = { 'If-Match': '*' }): Promise<WireAnswer> {
  return service.send({ method: 'DELETE', path, headers });
}

const stale = `W/"datetime'2001-01-01T00%3A00%3A00Z'"`;

describe('Delete Entity refuses to read', () => {
  it.each([{}, { 'If-Match': '' }])('a request without a condition, %j: 400 InvalidInput', async (headers) => {
    await service.send({ method: 'PUT', path: entityPath('pets', 'p', 'guarded'), body: '{}' });
    const answer = await remove(entityPath('pets', 'p', 'guarded'), headers);
    expect([answer.status, answer.header('Cache-Control')]).toEqual([400, undefined]);
    expect(answer.body).toContain('"code":"InvalidInput"');
    expect((await service.get(entityPath('pets', 'p', 'guarded'))).status).toBe(200);
  });

  it('If-None-Match: 400 InvalidInput', async () => {
    await service.send({ method: 'PUT', path: entityPath('pets', 'p', 'guarded'), body: '{}' });
    const answer = await remove(entityPath('pets', 'p', 'guarded'), { 'If-None-Match': '*' });
    const message = 'If-None-Match HTTP header cannot be specified for DELETE operations.';
    expectRefusal(answer, refusal('InvalidInput', { message, stage: 'reading' }));
  });

  it('If-Match with If-None-Match: 400 InvalidInput, and the entity stays', async () => {
    await service.send({ method: 'PUT', path: entityPath('pets', 'p', 'guarded'), body: '{}' });
    const answer = await remove(entityPath('pets', 'p', 'guarded'), { 'If-Match': '*', 'If-None-Match': stale });
    const message =
      'Both If-Match and If-None-Match HTTP headers cannot be specified at the same time. Please specify either one of the headers or none of them.';
    expectRefusal(answer, refusal('InvalidInput', { message, stage: 'reading' }));
    expect((await service.get(entityPath('pets', 'p', 'guarded'))).status).toBe(200);
  });

  it('a slash in a key: 400 InvalidInput', async () => {
    expectRefusal(await remove(entityPath('pets', 'a%2Fb')), querySyntax);
  });

  it('an entity of a missing table: 404 TableNotFound', async () => {
    expectRefusal(await remove(entityPath('absent')), refusal('TableNotFound'));
  });
});

describe('Delete Entity refuses', () => {
  it('a character that is not allowed in a key: 400 OutOfRangeInput', async () => {
    expectRefusal(await remove(entityPath('pets', 'p', 'a%23b')), refusal('OutOfRangeInput'));
  });

  it('a missing entity, for any condition: 404 ResourceNotFound', async () => {
    for (const etag of ['*', stale]) {
      expectRefusal(await remove(entityPath('pets', 'p', 'nobody'), { 'If-Match': etag }), refusal('ResourceNotFound'));
    }
  });

  it('a stale condition: 412 UpdateConditionNotSatisfied, and the entity stays', async () => {
    await service.insert('pets', { RowKey: 'changed' });
    const answer = await remove(entityPath('pets', 'p', 'changed'), { 'If-Match': stale });
    expectRefusal(answer, refusal('UpdateConditionNotSatisfied'));
    expect((await service.get(entityPath('pets', 'p', 'changed'))).status).toBe(200);
  });

  it('the set of all entities: 405 MethodNotAllowed', async () => {
    expectRefusal(await remove('/pets()'), refusal('MethodNotAllowed'));
  });
});

describe('Delete Entity', () => {
  it('answers 204 with an empty body and no ETag for *', async () => {
    await service.insert('pets', { RowKey: 'any' });
    expectSuccess(await remove(entityPath('pets', 'p', 'any')), { status: 204 });
    expectRefusal(await service.get(entityPath('pets', 'p', 'any')), refusal('ResourceNotFound'));
  });

  it('answers 204 for the current ETag', async () => {
    const etag = etagOf(await service.insert('pets', { RowKey: 'current' }));
    expectSuccess(await remove(entityPath('pets', 'p', 'current'), { 'If-Match': etag }), { status: 204 });
  });

  it('does not repeat Prefer', async () => {
    await service.insert('pets', { RowKey: 'preferring' });
    const headers = { 'If-Match': '*', Prefer: 'return-no-content' };
    expectSuccess(await remove(entityPath('pets', 'p', 'preferring'), headers), { status: 204 });
  });

  it('deletes the entity and not its neighbours', async () => {
    for (const RowKey of ['x1', 'x2', 'x3']) await service.insert('pets', { PartitionKey: 'row', RowKey });
    await remove(entityPath('pets', 'row', 'x2'));
    const { body } = await service.get('/pets()?$select=RowKey&NextPartitionKey=1!4!cm93', accepting('nometadata'));
    expect(body).toBe('{"value":[{"RowKey":"x1"},{"RowKey":"x3"}]}');
  });

  it('frees the key', async () => {
    await service.insert('pets', { RowKey: 'reborn', n: 1 });
    await remove(entityPath('pets', 'p', 'reborn'));
    const { body } = await service.insert('pets', { RowKey: 'reborn' });
    expect(body).not.toContain('"n"');
  });
});
