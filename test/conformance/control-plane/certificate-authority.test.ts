import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Emulator, startEmulator } from '../../../src/index.ts';
import { ask } from '../../support/control-plane.ts';

const path = '/_emulator/certificate-authority';

async function start(https: 'off' | 'auto'): Promise<Emulator> {
  const emulator = await startEmulator({ https });
  onTestFinished(() => emulator.close());
  return emulator;
}

/** The status of a request over HTTPS with the headers that a browser sends. */
function statusOver({ httpsUrl = '', certificateAuthority }: Emulator, options: object, body = ''): Promise<number> {
  return new Promise((resolve, reject) => {
    request(
      httpsUrl,
      { ca: certificateAuthority, agent: false, servername: 'localhost', ...options },
      (answer: IncomingMessage) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      },
    )
      .on('error', reject)
      .end(body);
  });
}

describe('The authority of --https auto', () => {
  it('is returned without its key', async () => {
    const emulator = await start('auto');
    const { status, json, text } = await ask(emulator.url, { method: 'GET', path });
    expect([status, json]).toEqual([
      200,
      { certificate: emulator.certificateAuthority, file: null, url: emulator.httpsUrl },
    ]);
    expect(new X509Certificate(emulator.certificateAuthority ?? '').ca).toBe(true);
    expect(text).not.toContain('PRIVATE');
  });

  it('does not exist without --https auto', async () => {
    const { status, json } = await ask((await start('off')).url, { method: 'GET', path });
    expect([status, json]).toMatchObject([404, { error: { code: 'HttpsOff' } }]);
  });
});

describe('A page of another origin, over HTTPS', () => {
  it.each([
    { origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://attacker.example' },
    { 'sec-fetch-site': 'same-site' },
  ])('reads nothing of the emulator and writes nothing: %j', async (headers) => {
    const emulator = await start('auto');
    expect(await statusOver(emulator, { path, headers })).toBe(403);
    const reset = { method: 'POST', path: '/_emulator/reset', headers };
    expect(await statusOver(emulator, reset, '{}')).toBe(403);
    const write = {
      method: 'POST',
      path: '/devstoreaccount1/Tables',
      headers: { ...headers, 'content-type': 'text/plain' },
    };
    expect(await statusOver(emulator, write, '{"TableName":"stolen"}')).toBe(403);
  });

  it('cannot use another name of this machine: the emulator answers only names of loopback', async () => {
    const emulator = await start('auto');
    for (const host of ['attacker.example', 'acct.table.core.windows.net', 'host.docker.internal'])
      expect(await statusOver(emulator, { path, headers: { host } })).toBe(403);
  });

  it('of the emulator itself is answered over HTTP and HTTPS', async () => {
    const emulator = await start('auto');
    const headers = { origin: emulator.httpsUrl ?? '', 'sec-fetch-site': 'same-origin' };
    expect(await statusOver(emulator, { path, headers })).toBe(200);
  });
});
