// A request may contain a fault rule in x-emulator-fault, if the guard allows it.

import { afterAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { type Service, serviceAt, startService } from '../../support/service.ts';
import type { WireAnswer, WireHeaders } from '../../support/table-client.ts';

const token = 'a-token-of-sixteen-characters';
const emulator = await startEmulator();
afterAll(() => emulator.close());
const service = serviceAt(emulator.url, async () => undefined);
const guarded = await startService({ controlToken: token });
const without = await startService({ faultHeader: false });

const rule = (fault: object, more: object = {}): string => JSON.stringify({ fault, ...more });
const busy = rule({ kind: 'error', code: 'ServerBusy', retryAfterSeconds: 3 });

const list = (to: Service, headers: WireHeaders): Promise<WireAnswer> => to.get('/Tables', headers);

describe('A request with a rule in its header', () => {
  it('is the only request that the rule strikes, and the response names the rule', async () => {
    const answer = await list(service, { 'x-emulator-fault': busy });
    expect([answer.status, answer.header('x-emulator-fault'), answer.header('retry-after')]).toEqual([
      503,
      'header',
      '3',
    ]);
    expect((await list(service, {})).status).toBe(200);
  });

  it('gets the name of the rule in its response, percent-encoded', async () => {
    const name = 'späte Antwort, 1/2';
    const headers = {
      'x-emulator-fault': rule({ kind: 'error', code: 'InternalError' }, { name }).replace('ä', '\\u00e4'),
    };
    const answer = await list(service, headers);
    expect([answer.status, answer.header('x-emulator-fault')]).toEqual([500, encodeURIComponent(name)]);
  });

  it('is not struck by a rule of the list too, but that rule counts it', async () => {
    await using _fault = await emulator.faults.add({ name: 'listed', fault: { kind: 'error', code: 'InternalError' } });
    const answer = await list(service, { 'x-emulator-fault': busy });
    expect([answer.status, answer.header('x-emulator-fault')]).toEqual([503, 'header']);
    expect(await emulator.faults.list()).toMatchObject([{ hits: 0, matched: 1 }]);
  });

  it('is carried out if the rule does not match it', async () => {
    const headers = { 'x-emulator-fault': rule({ kind: 'reset', at: 'afterCommit' }) };
    const answer = await list(service, headers);
    expect([answer.status, answer.header('x-emulator-fault')]).toEqual([200, undefined]);
  });

  it.each([
    ['no JSON', '{', 'It is not JSON'],
    ['nothing', '', 'It is not JSON'],
    ['a field that does not fit', rule({ kind: 'delay', ms: -1 }), 'fault.ms'],
    ['two rules', `[${busy},${busy}]`, 'one rule'],
  ])('is refused with 400 if the rule is %s', async (_, text, reason) => {
    const answer = await list(service, { 'x-emulator-fault': text });
    expect(answer.status).toBe(400);
    expect(answer.body).toContain('InvalidInput');
    expect(answer.body).toContain(reason.replaceAll('"', '\\"'));
  });
});

describe('A rule in a header is ignored', () => {
  it.each<[string, WireHeaders]>([
    ['that a page of another origin sent', { Origin: 'http://evil.example' }],
    ['that a browser says comes from another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['that a proxy passed on', { 'X-Forwarded-For': '203.0.113.9' }],
    ['that a proxy passed on as Forwarded', { Forwarded: 'for=203.0.113.9' }],
    ['for another host', { Host: 'evil.example' }],
  ])('%s', async (_, headers) => {
    const answer = await list(service, { 'x-emulator-fault': busy, ...headers });
    expect(answer.status).not.toBe(503);
    expect(answer.header('x-emulator-fault')).toBeUndefined();
  });

  it('even if it is invalid: a caller who may not add faults learns nothing', async () => {
    const answer = await list(service, { 'x-emulator-fault': '{', Forwarded: 'for=203.0.113.9' });
    expect(answer.status).toBe(200);
  });

  it.each<[string, WireHeaders, number]>([
    ['without the token', {}, 200],
    ['with a wrong one', { 'x-emulator-token': `${token}!` }, 200],
    ['in front of the right one', { 'x-emulator-token': token }, 503],
    [
      'before the right one, as a proxy passes it on',
      { 'x-emulator-token': token, 'X-Forwarded-For': '203.0.113.9' },
      503,
    ],
    ['that a page sent with the right token', { 'x-emulator-token': token, Origin: 'http://evil.example' }, 200],
  ])('if there is a control token, %s', async (_, headers, status) => {
    expect((await list(guarded, { 'x-emulator-fault': busy, ...headers })).status).toBe(status);
  });

  it('with --no-fault-header', async () => {
    expect((await list(without, { 'x-emulator-fault': busy })).status).toBe(200);
  });
});

describe('A CORS rule for all headers', () => {
  it.each(['x-emulator-fault', 'X-Emulator-Token', 'x-ms-date, x-emulator-fault'])('never allows %s', async (names) => {
    const cors =
      '<Cors><CorsRule><AllowedOrigins>*</AllowedOrigins><AllowedMethods>GET,PUT</AllowedMethods>' +
      '<MaxAgeInSeconds>5</MaxAgeInSeconds><ExposedHeaders>*</ExposedHeaders><AllowedHeaders>*</AllowedHeaders></CorsRule></Cors>';
    const path = '/?restype=service&comp=properties';
    const body = `<StorageServiceProperties>${cors}</StorageServiceProperties>`;
    const headers = { 'Content-Type': 'application/xml', Accept: 'application/xml' };
    expect((await service.send({ method: 'PUT', path, headers, body })).status).toBe(202);
    const preflight = (asked: string): Promise<WireAnswer> =>
      service.send({
        method: 'OPTIONS',
        path: '/Tables',
        headers: {
          Authorization: undefined,
          Origin: 'http://page.example',
          'Access-Control-Request-Method': 'GET',
          'Access-Control-Request-Headers': asked,
        },
      });
    expect((await preflight('x-ms-date')).status).toBe(200);
    expect((await preflight(names)).status).toBe(403);
  });
});
