// The service does not say why it refuses a request. The emulator gives the reason in its log, and in a response header
// for callers on its own machine.

import { networkInterfaces } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import { defaultEmulatorSettings, runEmulator } from '../../src/emulator.ts';
import { summarizeRequest } from '../../src/model/summarize-request.ts';
import { startService } from '../support/service.ts';
import { accountToken, holderOf, momentAt, tableText, tableToken } from '../support/shared-access-tokens.ts';
import { hmac } from '../support/sign.mjs';
import { developmentKey, openClient, type WireAnswer, type WireHeaders } from '../support/table-client.ts';

const name = 'x-emulator-why';
const explaining = await startService();
const silent = await startService({ explain: false });

const whyOf = (answer: WireAnswer): readonly string[] => JSON.parse(answer.header(name) ?? '[]') as string[];
const wrong: WireHeaders = {
  Authorization: `SharedKeyLite devstoreaccount1:${Buffer.alloc(32, 1).toString('base64')}`,
};

describe('A refusal', () => {
  it('is explained for a token with any characters', async () => {
    const token = tableToken('Pets', { sp: 'r', spk: 'a\u007fb\u0001é😀"\\' });
    const { send } = holderOf(explaining, token.replace('sp=r', 'sp=raud'));
    const answer = await send({ method: 'GET', path: '/Pets()' });
    expect(answer.status).toBe(403);
    expect(JSON.stringify(whyOf(answer))).toContain('é😀');
  });

  it('is not explained where `explain` is false', async () => {
    expect((await silent.get('/Tables', wrong)).header(name)).toBeUndefined();
  });

  it.each(['X-Forwarded-For', 'X-Client-IP', 'CF-Connecting-IP', 'Via'])(
    'is not explained to a request through a proxy with %s',
    async (proxyHeader) => {
      const answer = await explaining.get('/Tables', { ...wrong, [proxyHeader]: '10.0.0.1' });
      expect([answer.status, answer.header(name)]).toEqual([403, undefined]);
    },
  );

  it('of a signed request names the text to sign', async () => {
    const date = new Date().toUTCString();
    const answer = await explaining.get('/Tables?$top=1', { ...wrong, 'x-ms-date': date });
    expect(answer.status).toBe(403);
    const text = `${date}\n/devstoreaccount1/devstoreaccount1/Tables`;
    expect(whyOf(answer)).toContain(`The text to sign is ${JSON.stringify(text)}.`);
  });

  it('of a token names the text to sign, even if its clauses were changed', async () => {
    const token = tableToken('Pets', { sp: 'r' });
    const answer = await holderOf(explaining, token.replace('sp=r', 'sp=raud')).send({
      method: 'GET',
      path: '/Pets()',
    });
    const clauses = Object.fromEntries(new URLSearchParams(token.replace('sp=r', 'sp=raud')));
    expect(whyOf(answer)).toContain(`The text to sign is ${JSON.stringify(tableText(clauses))}.`);
  });

  it.each([
    ['an expired token', tableToken('pets', { sp: 'r', se: momentAt(-120_000) }), /passed 2 minutes ago/],
    ['a token of tomorrow', tableToken('pets', { sp: 'r', st: momentAt(86_400_000) }), /is .* ahead/],
    ['a missing permission', tableToken('pets', { sp: 'a' }), /sp is a; this operation needs r/],
    ['a missing resource type', accountToken({ sp: 'r', srt: 's' }), /srt is s; this operation needs o/],
    ['a policy that is missing', tableToken('pets', { se: undefined, si: 'nobody' }), /no stored policy "nobody"/],
    ['another address', tableToken('pets', { sp: 'r', sip: '10.0.0.1' }), /the caller is 127\.0\.0\.1/],
  ])('says why: %s', async (_, token, expected) => {
    const answer = await holderOf(explaining, token).send({ method: 'GET', path: '/pets()' });
    expect(answer.status).toBe(403);
    expect(whyOf(answer).join(' ')).toMatch(expected);
  });

  it('never contains a key or a signature, neither those that were sent nor the right ones', async () => {
    const date = new Date().toUTCString();
    const text = `${date}\n/devstoreaccount1/devstoreaccount1/Tables`;
    const right = hmac(text);
    const answer = await explaining.get('/Tables', { ...wrong, 'x-ms-date': date });
    const token = tableToken('pets', { sp: 'r' });
    const changed = await holderOf(explaining, token.replace('sp=r', 'sp=a')).send({ method: 'GET', path: '/pets()' });
    const sent = JSON.stringify([answer.headers, changed.headers, answer.body, changed.body]);
    const signature = new URLSearchParams(token).get('sig') ?? 'none';
    for (const secret of [developmentKey, right, signature, Buffer.alloc(32, 1).toString('base64')]) {
      expect(sent).not.toContain(secret.slice(0, -1));
    }
  });

  it('has no explanation if its code says everything', async () => {
    const answer = await explaining.get('/absent()');
    expect([answer.status, answer.header(name)]).toEqual([404, undefined]);
  });

  it('has a short explanation even for a long address', async () => {
    const answer = await explaining.get(`/pets()?comp=${'p'.repeat(30_000)}`, wrong);
    expect(answer.status).toBe(403);
    expect(answer.header(name)?.length).toBeLessThan(2_000);
    expect(whyOf(answer).join(' ')).toMatch(/The text to sign is ".+ characters left out …p+"\./);
  });

  it('has an explanation in ASCII in the header, for any request', async () => {
    const token = tableToken('pets', { sp: 'r', spk: 'é✓' }).replace('sp=r', 'sp=a');
    const answer = await holderOf(explaining, token).send({ method: 'GET', path: '/pets()' });
    expect(answer.header(name)).toMatch(/^[\x20-\x7e]+$/);
    expect(whyOf(answer).join(' ')).toContain('é✓');
  });
});

const outside = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

describe.skipIf(outside === undefined)('A caller from another machine', () => {
  it('gets no explanation', async () => {
    const emulator = await runEmulator({ ...defaultEmulatorSettings, host: '0.0.0.0', port: 0, explain: true });
    const [there, here] = [outside, '127.0.0.1'].map((host) => openClient(`http://${host}:${emulator.port}`));
    const ask = async (client: typeof there): Promise<boolean> =>
      (await client!.send({ method: 'GET', path: '/Tables', headers: wrong })).header(name) !== undefined;
    expect([await ask(there), await ask(here)]).toEqual([false, true]);
    await Promise.all([there!.close(), here!.close()]);
    await emulator.close();
  });
});

describe('The log', () => {
  it('says why a caller was refused, without keys and signatures', async () => {
    const written: string[] = [];
    const emulator = await runEmulator({
      ...defaultEmulatorSettings,
      port: 0,
      onRequest: (record) => void written.push(JSON.stringify(summarizeRequest(record))),
    });
    const client = openClient(emulator.url);
    afterAll(async () => {
      await client.close();
      await emulator.close();
    });
    const token = tableToken('pets', { sp: 'r' });
    await holderOf(client, token.replace('sp=r', 'sp=a')).send({ method: 'GET', path: '/pets()' });
    await client.send({ method: 'GET', path: '/Tables', headers: wrong });
    await expect.poll(() => written.length).toBe(2);
    const text = written.join('\n');
    expect(text.match(/The text to sign is/g)).toHaveLength(2);
    const signature = new URLSearchParams(token).get('sig') ?? 'none';
    for (const secret of [
      developmentKey,
      signature,
      encodeURIComponent(signature),
      Buffer.alloc(32, 1).toString('base64'),
    ]) {
      expect(text).not.toContain(secret.slice(0, -1));
    }
  });
});
