// Any web page can make a browser send a POST with a plain-text body. For such a POST, the browser does not send the
// server a preflight request first. The service carries out such a POST. The keys of the service are secret, so a
// foreign page cannot sign the POST. The key of an emulator is public, so every page that a developer opens could write
// data.
//
// Tanzanite therefore checks every POST that a page of another origin sends without a preflight: a CORS rule must allow
// POST from that origin. A page on another port also has another origin. Tanzanite recognises such requests by the
// headers `Sec-Fetch-Site` and `Origin`. With `--allow-foreign-pages` (`allowForeignPages` in the library), Tanzanite
// carries out the POST as the service does.

import { describe, expect, it } from 'vitest';
import { entryOf, keysOf } from '../../support/atom-requests.ts';
import { setCors } from '../../support/expect-xml.ts';
import { startService } from '../../support/service.ts';
import { accountToken, holderOf } from '../../support/shared-access-tokens.ts';
import type { WireHeaders } from '../../support/table-client.ts';
import { outcomeOf } from './outcome.ts';

const service = await startService();
const open = await startService({ allowForeignPages: true });
await service.createTable('pets');
await open.createTable('pets');

const { host } = new URL(service.origin);
let inserted = 0;

/**
 * Sends an insert of the kind that a page can cause in a browser. Its body is Atom in a Blob without a type. Its
 * address contains the signature and the version.
 */
async function insert(headers: WireHeaders, to = service): Promise<string> {
  const token = accountToken({ sp: 'rwdlacu', sv: '2018-03-28' });
  inserted += 1;
  const answer = await holderOf(to, `api-version=2013-08-15&${token}`).send({
    method: 'POST',
    path: '/pets',
    headers: {
      Accept: '*/*',
      'x-ms-version': undefined,
      'x-ms-date': undefined,
      'Content-Type': undefined,
      ...headers,
    },
    body: entryOf(keysOf(`r${inserted}`)),
  });
  return outcomeOf(answer);
}

const refused = '403 CorsPreflightFailure';

describe('A page of another origin writes only by a CORS rule', () => {
  it('is refused with 403 CorsPreflightFailure if it is from another site, another port or a sandboxed frame', async () => {
    for (const headers of [
      { Origin: 'https://evil.example' },
      { Origin: 'http://127.0.0.1:3000' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site', Origin: 'http://127.0.0.1:3000' },
      { 'Sec-Fetch-Site': 'cross-site', Origin: 'null', 'Content-Type': 'text/plain;charset=UTF-8' },
      { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Content-Type': 'application/atom+xml' },
      { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', Authorization: 'Basic YTpi' },
    ]) {
      expect(await insert(headers), JSON.stringify(headers)).toBe(refused);
    }
  });

  it('is refused before the caller and the table are checked', async () => {
    const request = { method: 'POST', path: '/nowhere', headers: { Authorization: undefined, Origin: 'null' } };
    const plain = { 'x-ms-version': undefined, 'x-ms-date': undefined, 'Content-Type': undefined };
    const answer = await service.send({ ...request, headers: { ...request.headers, ...plain }, body: 'a' });
    expect(outcomeOf(answer)).toBe(refused);
  });

  it('may write if a rule allows POST from its origin', async () => {
    await setCors(service, [{ origins: 'http://127.0.0.1:3000', methods: 'POST' }]);
    expect(await insert({ Origin: 'http://127.0.0.1:3000', 'Sec-Fetch-Site': 'same-site' })).toBe('201');
    expect(await insert({ Origin: 'http://127.0.0.1:3001', 'Sec-Fetch-Site': 'same-site' })).toBe(refused);
    await setCors(service, []);
  });

  it('is restricted only if a browser sends the request from an origin other than that of the emulator', async () => {
    expect(await insert({})).toBe('201');
    expect(await insert({ Origin: `http://${host}`, 'Sec-Fetch-Site': 'same-origin' })).toBe('201');
    expect(await insert({ Origin: `http://${host}` })).toBe('201');
  });

  it('is not checked again after a preflight, because the preflight has already applied the rules', async () => {
    expect(await insert({ Origin: 'https://shop.example', 'x-ms-version': '2013-08-15' })).toBe('201');
    expect(await insert({ Origin: 'https://shop.example', 'Content-Type': 'application/atom+xml' })).toBe('201');
  });

  it('may write with --allow-foreign-pages, as in the service', async () => {
    expect(await insert({ Origin: 'null', 'Sec-Fetch-Site': 'cross-site' }, open)).toBe('201');
  });
});
