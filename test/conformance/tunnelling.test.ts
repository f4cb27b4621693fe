import { describe, expect, it } from 'vitest';
import { expectRefusal, refusal } from '../support/expect-refusal.ts';
import { etagOf, expectSuccess } from '../support/expect-success.ts';
import { entityPath, startService } from '../support/service.ts';
import type { WireAnswer, WireHeaders } from '../support/table-client.ts';

const service = await startService();
await service.createTable('pets');

function tunnel(
  verb: string,
  path: string,
  { headers = {}, body = '{}' }: { headers?: WireHeaders; body?: string } = {},
) {
  return service.send({ method: 'POST', path, headers: { 'X-HTTP-Method': verb, ...headers }, body });
}

const read = (rowKey: string): Promise<WireAnswer> => service.get(entityPath('pets', 'p', rowKey));

describe('A POST with X-HTTP-Method', () => {
  it.each(['MERGE', 'PATCH'])('%s merges', async (verb) => {
    await service.insert('pets', { RowKey: verb, kept: 1 });
    const answer = await tunnel(verb, entityPath('pets', 'p', verb), {
      body: '{"added":2}',
      headers: { 'If-Match': '*' },
    });
    expectSuccess(answer, { status: 204, headers: { ETag: etagOf(answer) } });
    expect((await read(verb)).body).toContain('"added":2,"kept":1}');
  });

  it('MERGE without a condition inserts', async () => {
    const answer = await tunnel('MERGE', entityPath('pets', 'p', 'upserted'), { body: '{"n":1}' });
    expect(answer.status).toBe(204);
    expect((await read('upserted')).body).toContain('"n":1}');
  });

  it('PUT replaces', async () => {
    await service.insert('pets', { RowKey: 'PUT', gone: 1 });
    await tunnel('PUT', entityPath('pets', 'p', 'PUT'), { body: '{"n":2}', headers: { 'If-Match': '*' } });
    expect((await read('PUT')).body).toMatch(/"Timestamp":"[^"]+","n":2}$/);
  });

  it('DELETE deletes', async () => {
    await service.insert('pets', { RowKey: 'DELETE' });
    const answer = await tunnel('DELETE', entityPath('pets', 'p', 'DELETE'), { headers: { 'If-Match': '*' } });
    expectSuccess(answer, { status: 204 });
    expect((await read('DELETE')).status).toBe(404);
  });

  it('DELETE deletes a table', async () => {
    await service.createTable('doomed');
    expectSuccess(await tunnel('DELETE', "/Tables('doomed')"), { status: 204 });
  });

  it('DELETE does not repeat Prefer', async () => {
    await service.insert('pets', { RowKey: 'preferring' });
    const headers = { 'If-Match': '*', Prefer: 'return-no-content' };
    expectSuccess(await tunnel('DELETE', entityPath('pets', 'p', 'preferring'), { headers }), { status: 204 });
  });

  it('refuses a stale condition like the verb itself: 412', async () => {
    await service.insert('pets', { RowKey: 'stale' });
    const headers = { 'If-Match': `W/"datetime'2001-01-01T00%3A00%3A00Z'"` };
    const answer = await tunnel('MERGE', entityPath('pets', 'p', 'stale'), { headers });
    expectRefusal(answer, refusal('UpdateConditionNotSatisfied'));
  });

  it.each(['GET', 'POST', 'HEAD', 'merge', 'NONSENSE', ''])('%j answers 400 XMethodIncorrectValue', async (verb) => {
    expectRefusal(await tunnel(verb, entityPath('pets')), refusal('XMethodIncorrectValue'));
  });

  it('of two values answers 400 XMethodIncorrectCount', async () => {
    expectRefusal(await tunnel('MERGE, PUT', entityPath('pets')), refusal('XMethodIncorrectCount'));
    const twice = {
      method: 'POST',
      path: entityPath('pets'),
      headers: { 'X-HTTP-Method': ['MERGE', 'MERGE'] },
      body: '{}',
    };
    expectRefusal(await service.send(twice), refusal('XMethodIncorrectCount'));
  });
});

describe('X-HTTP-Method with a verb', () => {
  it.each(['GET', 'PUT', 'DELETE', 'MERGE'])('other than POST, %s, answers 400 XMethodNotUsingPost', async (method) => {
    const headers = { 'X-HTTP-Method': 'MERGE' };
    expectRefusal(await service.send({ method, path: entityPath('pets'), headers }), refusal('XMethodNotUsingPost'));
  });
});

describe('A signature', () => {
  it('covers the verb on the wire, POST', async () => {
    const answer = await service.with({ scheme: 'SharedKey' }).send({
      method: 'POST',
      path: entityPath('pets', 'p', 'signed'),
      headers: { 'X-HTTP-Method': 'MERGE' },
      body: '{}',
    });
    expect(answer.status).toBe(204);
  });
});
