// Forms of HTTP that Azure's own clients do not send.

import { describe, expect, it } from 'vitest';
import { sendRaw, signedHead } from '../support/raw-socket.ts';
import { entityPath, startService } from '../support/service.ts';

const service = await startService();
await service.createTable('pets');
await service.insert('pets', { n: 1 });
const { host } = new URL(service.origin);

const old = (target: string, headers: Record<string, string> = {}): string =>
  signedHead({ method: 'GET', target, headers: { Host: host, ...headers } }).replace(' HTTP/1.1\r\n', ' HTTP/1.0\r\n');

describe('HTTP/1.0', () => {
  it.each([
    ['an entity', `/devstoreaccount1${entityPath('pets')}?$select=n`, 200, /"n":1\}$/],
    ['a refusal', `/devstoreaccount1${entityPath('pets', 'p', 'none')}`, 404, /^\{"odata\.error".*\}$/s],
    ['the tables', '/devstoreaccount1/Tables', 200, /"TableName":"pets"\}\]\}$/],
  ])('gets %s without chunks, and then the connection is closed', async (_, target, status, body) => {
    for (const connection of ['close', 'keep-alive']) {
      const received = await sendRaw(service.origin, old(target, { Connection: connection }));
      const [head = '', ...rest] = received.split('\r\n\r\n');
      expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(head).not.toMatch(/transfer-encoding/i);
      expect(rest.join('\r\n\r\n')).toMatch(body);
    }
  });
});

describe('CONNECT', () => {
  it.each(['example.test:443', '/devstoreaccount1/pets'])('to %s is answered like an unknown verb', async (target) => {
    const text = `CONNECT ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const received = await sendRaw(service.origin, text);
    expect(received).toBe(await sendRaw(service.origin, text.replace('CONNECT', 'NONSENSE')));
    expect(received).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*The request verb is invalid\./);
  });
});

describe('A request whose body has no length', () => {
  const head = (method: string, target: string, headers: Record<string, string> = {}): string =>
    signedHead({ method, target: `/devstoreaccount1${target}`, headers: { Host: host, ...headers } });

  it.each([
    ['POST', '/Tables'],
    ['POST', '/pets'],
    ['PUT', entityPath('pets')],
    ['MERGE', entityPath('pets')],
    ['PATCH', entityPath('pets')],
    ['POST', '/$batch'],
    ['PUT', '/pets?comp=acl'],
    ['PUT', '/?restype=service&comp=properties'],
  ])('is refused with 411 MissingContentLengthHeader, after authentication: %s %s', async (method, target) => {
    const text = head(method, target);
    const received = await sendRaw(service.origin, text);
    expect(received).toMatch(/^HTTP\/1\.1 411 [\s\S]*MissingContentLengthHeader/);
    expect(received).toContain('The Content-Length header was not specified.');
    const forged = text.replace(/(devstoreaccount1:)\S+/, '$1AAAA');
    expect(await sendRaw(service.origin, forged)).toMatch(/^HTTP\/1\.1 403 /);
    const empty = head(method, target, { 'Content-Length': '0' });
    expect(await sendRaw(service.origin, empty)).not.toMatch(/^HTTP\/1\.1 411 /);
  });

  it('is accepted if the operation takes no body', async () => {
    const text = head('DELETE', entityPath('pets'), { 'If-Match': '*' });
    expect(await sendRaw(service.origin, text)).toMatch(/^HTTP\/1\.1 204 /);
  });
});
