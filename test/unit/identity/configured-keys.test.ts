import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConfiguredKeys, openConfiguredKeys } from '../../../src/identity/configured-keys.ts';
import { createSigningKey, keySetOf } from '../../support/bearer-tokens.ts';
import { ManualTime } from '../../support/manual-time.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const [one, two] = [createSigningKey('one'), createSigningKey('two')];
const folder = temporaryFolder();
const file = join(folder.path, 'keys.json');
const time = new ManualTime();
let errors: unknown[] = [];
const log = { info: () => undefined, warn: () => undefined, error: (fields: object) => void errors.push(fields) };
let opened: ConfiguredKeys | undefined;
const open = (source: string): ConfiguredKeys => (opened = openConfiguredKeys(source, { time, log }));

beforeEach(() => {
  errors = [];
});
afterEach(() => opened?.close());
afterAll(() => folder.remove());

describe('A file of keys', () => {
  it('is read again within a second after a change, and its generation grows only then', async () => {
    writeFileSync(file, keySetOf(one));
    const keys = open(file);
    const first = keys.generation;
    time.advance(1_000);
    expect([keys.generation, await keys.find('one'), await keys.find('two')]).toEqual([
      first,
      expect.anything(),
      undefined,
    ]);
    writeFileSync(file, keySetOf(two));
    time.advance(1_000);
    expect(keys.generation).toBeGreaterThan(first);
    expect([await keys.find('one'), await keys.find('two')]).toEqual([undefined, expect.anything()]);
  });

  it.each([
    ['holds no key', () => writeFileSync(file, '{"keys":[]}')],
    ['is missing', () => rmSync(file)],
  ])('keeps its keys while it %s, and says so once', async (_, damage) => {
    writeFileSync(file, keySetOf(one));
    const keys = open(file);
    damage();
    for (let second = 0; second < 3; second++) time.advance(1_000);
    expect([await keys.find('one'), errors.length]).toEqual([expect.anything(), 1]);
  });

  it.each([
    ['is not JSON', 'keys', 'it is not a JSON Web Key Set'],
    ['is a list', '[]', 'it is not a JSON Web Key Set'],
    ['has no key', '{"keys":[]}', 'it has no RSA signature key'],
    ['has keys for encryption', keySetOf(one).replace('"sig"', '"enc"'), 'it has no RSA signature key'],
    ['has keys without an id', keySetOf(one).replace('"kid"', '"id"'), 'it has no RSA signature key'],
    ['has broken keys', keySetOf(one).replace(/"n":"[^"]*"/, '"n":"!"'), 'it has no RSA signature key'],
    ['has short keys', '{"keys":[{"kty":"RSA","kid":"x","n":"AQAB","e":"AQAB"}]}', 'it has no RSA signature key'],
    ['has secrets', '{"keys":[{"kty":"oct","kid":"x","k":"AAAA"},null,7]}', 'it has no RSA signature key'],
  ])('that %s is refused at the start', (_, text, message) => {
    writeFileSync(file, text);
    expect(() => open(file)).toThrow(message);
  });
});

describe('An address of keys', () => {
  it.each([
    ['http://example.com/keys', 'https://'],
    ['http://127.0.0.1.example.com/keys', 'https://'],
    ['http://localhost.example.com/', 'https://'],
    ['https://name:secret@example.com/', 'a name or a password'],
    ['https://', 'it is not an address'],
  ])('%s is refused', (address, message) => {
    expect(() => open(address)).toThrow(message);
    expect(() => open(address)).not.toThrow('secret@');
  });

  it.each(['https://example.com/keys', 'http://localhost:1/', 'http://127.0.0.1:1/', 'http://[::1]:1/'])(
    '%s is accepted, and not fetched before the first token',
    (address) => {
      expect(open(address).generation).toBe(0);
    },
  );

  describe('that is fetched', () => {
    let server: Server;
    let asked = 0;
    let answer: RequestListener = (_, response) => response.end(keySetOf(one));
    const listen = async (): Promise<string> => {
      asked = 0;
      server = createServer((request, response) => {
        asked++;
        answer(request, response);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
    };
    afterEach(() => {
      server.closeAllConnections();
      server.close();
    });

    it('is in the log without its query, which may contain a key', async () => {
      answer = (_, response) => response.end('{}');
      const address = await listen();
      const before = errors.length;
      await open(`${address}?code=secret`).find('one');
      expect(errors.slice(before)).toEqual([expect.objectContaining({ url: address })]);
    });

    it('is fetched once for simultaneous tokens, and for unknown keys once in half a minute', async () => {
      answer = (_, response) => response.end(keySetOf(one));
      const keys = open(await listen());
      const found = await Promise.all([keys.find('one'), keys.find('one'), keys.find('two')]);
      expect([found, asked]).toEqual([[expect.anything(), expect.anything(), undefined], 1]);
      for (let count = 0; count < 5; count++) expect(await keys.find('two')).toBeUndefined();
      expect(asked).toBe(1);
      answer = (_, response) => response.end(keySetOf(one, two));
      time.advance(30_000);
      const before = keys.generation;
      expect(await keys.find('two')).toBeDefined();
      expect([asked, keys.generation]).toEqual([2, before + 1]);
    });

    it('is fetched again after ten minutes, without a token that waits for it', async () => {
      answer = (_, response) => response.end(keySetOf(one));
      const keys = open(await listen());
      await keys.find('one');
      time.advance(599_999);
      keys.refresh();
      answer = (_, response) => response.end(keySetOf(two));
      time.advance(1);
      const before = keys.generation;
      keys.refresh();
      expect(await keys.find('one')).toBeDefined();
      // Sends tokens with the removed key until the fetch has ended.
      await expect.poll(() => keys.generation).toBe(before + 1);
      expect([await keys.find('one'), asked]).toEqual([undefined, 2]);
    });

    it.each<readonly [string, RequestListener]>([
      ['refuses', (_, response) => response.writeHead(500).end()],
      ['redirects', (_, response) => response.writeHead(302, { Location: '/elsewhere' }).end(keySetOf(two))],
      ['answers with a page', (_, response) => response.end('<html></html>')],
      ['answers without an end', (_, response) => sendEndless(response)],
      ['closes the connection', (request) => void request.socket.destroy()],
    ])('keeps its keys when the address %s, and says so', async (_, failing) => {
      answer = (_, response) => response.end(keySetOf(one));
      const keys = open(await listen());
      await keys.find('one');
      answer = failing;
      time.advance(30_000);
      expect(await keys.find('two')).toBeUndefined();
      expect(await keys.find('one')).toBeDefined();
      expect([asked, errors.length]).toEqual([2, 1]);
    });

    it('waits for an answer for five seconds', async () => {
      let arrived = (): void => undefined;
      const hasArrived = new Promise<void>((resolve) => (arrived = resolve));
      answer = () => arrived();
      const keys = open(await listen());
      const found = keys.find('one');
      await hasArrived;
      time.advance(5_000);
      expect(await found).toBeUndefined();
      expect(errors).toEqual([expect.objectContaining({ reason: 'no answer within 5 seconds' })]);
    });
  });
});

/** Sends spaces until the other side closes the connection. */
function sendEndless(response: ServerResponse): void {
  const more = (): void => {
    while (response.writable && response.write(' '.repeat(65_536)));
  };
  response.on('drain', more);
  more();
}
