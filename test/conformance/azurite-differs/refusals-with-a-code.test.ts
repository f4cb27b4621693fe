// Requests that Azurite refuses with an empty body, or with a status that differs from the status of the service. The
// emulator refuses each of these requests with an error code.

import { describe, expect, it } from 'vitest';
import { expectRefusal, refusal, unreadable } from '../../support/expect-refusal.ts';
import { sendRaw, signedHead } from '../../support/raw-socket.ts';
import { entityPath, startService } from '../../support/service.ts';

const service = await startService();
await service.createTable('pets');
await service.insert('pets', { n: 1 });
const path = entityPath('pets');

describe('A body that is not JSON', () => {
  it.each(['hello', '<entry/>', '{', '{"a":}', '[]', '"text"', 'null', ''])(
    '%j is refused with 400 InvalidInput, as an entity and as a table',
    async (body) => {
      expectRefusal(await service.send({ method: 'POST', path: '/pets', body }), unreadable);
      expectRefusal(await service.send({ method: 'POST', path: '/Tables', body }), unreadable);
    },
  );
});

describe('A verb', () => {
  it.each(['LOCK', 'PROPFIND', 'TRACE', 'SEARCH'])(
    'that HTTP has and the service does not support, %s, is 405',
    async (method) => {
      for (const target of [path, '/pets', '/Tables', "/Tables('pets')"]) {
        expectRefusal(await service.send({ method, path: target }), refusal('MethodNotAllowed'));
      }
    },
  );

  it('that HTTP does not have is 400 with an HTML page', async () => {
    const { host } = new URL(service.origin);
    const head = signedHead({ method: 'FROBNICATE', target: `/devstoreaccount1${path}`, headers: { Host: host } });
    const answer = await sendRaw(service.origin, head);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toContain('<h2>Bad Request - Invalid Verb</h2>');
  });

  it('HEAD is 405 without a body', async () => {
    for (const target of [path, '/pets', '/Tables', "/Tables('pets')"]) {
      const { status, body } = await service.send({ method: 'HEAD', path: target });
      expect({ target, status, body }).toEqual({ target, status: 405, body: '' });
    }
  });

  it.each(['PUT', 'MERGE', 'PATCH', 'DELETE'])('%s of the set of tables is 405 MethodNotAllowed', async (method) => {
    const body = method === 'DELETE' ? undefined : '{"TableName":"other"}';
    expectRefusal(await service.send({ method, path: '/Tables', body }), refusal('MethodNotAllowed'));
  });
});

describe('DELETE of an entity without If-Match', () => {
  it('is refused with 400 InvalidInput and deletes nothing', async () => {
    const message = 'The If-Match HTTP header must be specified for DELETE operations.';
    const answer = await service.send({ method: 'DELETE', path });
    expectRefusal(answer, refusal('InvalidInput', { message, stage: 'reading' }));
    expect((await service.get(path)).status).toBe(200);
  });
});
