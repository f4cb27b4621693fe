import { appendFileSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createAccounts } from '../../../src/auth/accounts.ts';
import { startEmulator } from '../../../src/index.ts';
import type { RequestRecord } from '../../../src/model/request-record.ts';
import { systemMachineTime } from '../../../src/model/time.ts';
import type { Exchange } from '../../../src/parity/exchange.ts';
import { openRecorder } from '../../../src/parity/recorder.ts';
import { JsonClient } from '../../support/json-client.mjs';
import { mountSmallDisk } from '../../support/small-disk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());
let path = '';
let count = 0;
beforeEach(() => {
  path = join(folder.path, `${++count}.ndjson`);
});

type Line = Exchange & Record<string, unknown>;
const linesOf = (file = path): Line[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

type Run = (client: JsonClient, url: string, said: readonly string[]) => Promise<void>;

/** Calls `run` with an emulator that records, and returns the messages of its log. `said` grows with them. */
async function recorded(run: Run): Promise<string[]> {
  const said: string[] = [];
  const say = (_: object, message: string): number => said.push(message);
  const log = { info: say, warn: say, error: say };
  const emulator = await startEmulator({ port: 0, record: path, log });
  const client = new JsonClient(emulator.url);
  try {
    await run(client, emulator.url, said);
  } finally {
    await client.close();
    await emulator.close();
  }
  return said;
}

const aRequest = { method: 'GET', headers: { host: 'h' }, startedAtMs: 0, account: 'acme' };

describe('A recording', () => {
  it('contains a head, and each exchange in HTTP archive format, and only its owner can read it', async () => {
    await recorded(async (client) => {
      await client.createTable('People');
      await client.send({ method: 'POST', path: 'People', body: { PartitionKey: 'p', RowKey: 'r', Name: 'Ada' } });
      await client.send({ method: 'GET', path: "People(PartitionKey='p',RowKey='r')" });
      await client.send({ method: 'GET', path: "People(PartitionKey='p',RowKey='none')" });
    });
    const [head, ...entries] = linesOf();
    expect(head).toMatchObject({ version: '1.2', creator: { name: 'Tanzanite' } });
    expect(entries.map(({ request, response }) => [request.method, response.status])).toEqual([
      ['POST', 204],
      ['POST', 204],
      ['GET', 200],
      ['GET', 404],
    ]);
    expect(entries[1]?.request.postData?.text).toContain('"Name":"Ada"');
    expect(entries[2]?.response.content.text).toContain('"Name":"Ada"');
    expect(entries[2]?.request.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/devstoreaccount1\/People\(/);
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('contains no secret, wherever the secret was', async () => {
    const secret = 'c2VjcmV0c2VjcmV0c2VjcmV0';
    await recorded(async (client, url) => {
      await client.createTable('People');
      const note = `https://h/?sv=1&sig=${secret}&se=1 and AccountKey=${secret}`;
      await client.send({ method: 'POST', path: 'People', body: { PartitionKey: 'p', RowKey: 'r', note } });
      await client.send({ method: 'GET', path: 'People()', query: `?sv=2019-02-02&%73ig=${secret}` });
      await client.sendTransaction([
        { method: 'PUT', path: `People(PartitionKey='p',RowKey='s')?sig=${secret}`, body: {} },
      ]);
      const headers = {
        Authorization: `Bearer ${secret}`,
        Cookie: secret,
        'x-ms-copy-source': `https://h/b?sig=${secret}`,
      };
      await fetch(`${url}/devstoreaccount1/Tables`, { headers });
    });
    const text = readFileSync(path, 'utf8');
    expect(text).not.toContain(secret);
    expect(linesOf()).toHaveLength(6);
    for (const { request } of linesOf().slice(1, 5)) {
      const { value = '' } = request.headers.find(({ name }) => name === 'authorization') ?? {};
      expect(value).toMatch(/^SharedKey(?:Lite)? devstoreaccount1:removed-[\da-f]{12}$/);
    }
  });

  it('contains no key that an account got during the recording', async () => {
    const file = join(folder.path, 'accounts.txt');
    const keys = ['Zmlyc3QgZmlyc3QgZmlyc3Q=', 'c2Vjb25kIHNlY29uZCBzZWM='];
    const accountsOf = (key = ''): ReturnType<typeof createAccounts> => createAccounts([{ name: 'acme', keys: [key] }]);
    let accounts = accountsOf(keys[0]);
    const recorder = openRecorder({
      path: file,
      accounts: { names: () => accounts.names(), keysOf: (name) => accounts.keysOf(name) },
      time: systemMachineTime,
      log: undefined,
    });
    const take = (): void => {
      const record = { ...aRequest, url: `/acme/T?${keys.map((key) => encodeURIComponent(key)).join()}` };
      recorder.take(record as unknown as RequestRecord, { status: 200, headers: [], body: JSON.stringify(keys) });
    };
    accounts = accountsOf(keys[1]);
    take();
    recorder.close();
    expect(linesOf(file)).toHaveLength(2);
    expect(readFileSync(file, 'utf8')).not.toMatch(/Zmlyc3|c2Vjb2/);
  });

  it('continues in the same file, even after a part of a line that a killed process left', async () => {
    const run = (): Promise<string[]> => recorded((client) => client.createTable('People'));
    await run();
    appendFileSync(path, '{"startedDateTime":"2026');
    await run();
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(5);
    expect(JSON.parse(lines[3] ?? '')).toHaveProperty('creator');
  });

  it('says which tables a reset changed, and which fault struck', async () => {
    const emulator = await startEmulator({ port: 0, record: path });
    const client = new JsonClient(emulator.url);
    await client.createTable('People');
    await emulator.faults.add({ fault: { kind: 'error', code: 'ServerBusy' }, times: 1, name: 'busy' });
    await client.send({ method: 'GET', path: 'People()' });
    await emulator.reset({ account: 'devstoreaccount1', table: 'People' });
    await emulator.reset();
    await client.close();
    await emulator.close();
    const [, , struck, ...changes] = linesOf();
    expect(struck).toMatchObject({ _fault: 'busy', response: { status: 503 } });
    expect(changes).toEqual([
      { _dataChange: { account: 'devstoreaccount1', table: 'People' } },
      { _dataChange: { account: 'devstoreaccount1' } },
    ]);
  });
});

describe('A start is refused, and nothing is changed, if the file', () => {
  it.each([
    [
      'holds something else',
      () => writeFileSync(path, 'my notes\n'),
      /cannot record to .*: it exists and is not a recording/,
    ],
    ['is a symbolic link', () => symlinkSync(join(folder.path, 'elsewhere'), path), /it is a symbolic link/],
    ['is in no folder', () => (path = join(path, 'x')), /ENOENT/],
  ])('%s', async (_, prepare, message) => {
    prepare();
    await expect(startEmulator({ port: 0, record: path })).rejects.toThrow(message);
    expect(existsSync(join(folder.path, 'elsewhere'))).toBe(false);
  });
});

describe('The recording ends with one line in the log, and the service continues', () => {
  it('on a full disk, after the last complete line', async (context) => {
    const disk = mountSmallDisk(1);
    if (!disk) return context.skip('a small disk cannot be mounted');
    try {
      path = join(disk.path, 'full.ndjson');
      const said = await recorded(async (client, _url, said) => {
        await client.createTable('People');
        await expect.poll(() => linesOf()).toHaveLength(2);
        disk.fill();
        for (let at = 0; at < 20; at++) {
          const body = { PartitionKey: 'p', RowKey: String(at), text: 'x'.repeat(3_000) };
          expect((await client.send({ method: 'POST', path: 'People', body })).status).toBe(204);
        }
        // Lines are written some time after the responses.
        await expect.poll(() => said.some((line) => line.includes('ended: ENOSPC'))).toBe(true);
        disk.free();
        expect((await client.send({ method: 'GET', path: 'People()' })).status).toBe(200);
      });
      expect(said.filter((line) => line.includes('recording'))).toEqual([
        expect.stringMatching(/^the recording to .* ended: ENOSPC/),
      ]);
      expect(linesOf().length).toBeGreaterThanOrEqual(2);
      expect(linesOf().length).toBeLessThan(22);
    } finally {
      disk.remove();
    }
  });

  it('at the maximum size, which no line exceeds', () => {
    const said: string[] = [];
    const log = { info: () => 0, error: () => 0, warn: (_: object, message: string) => said.push(message) };
    const recorder = openRecorder({ path, accounts: createAccounts([]), time: systemMachineTime, log, bytesMax: 400 });
    for (let at = 0; at < 20; at++) recorder.dataChanged('devstoreaccount1', `table${at}`);
    recorder.close();
    expect(said).toEqual([`the recording to ${path} ended: it has reached 400 bytes`]);
    expect(statSync(path).size).toBeLessThanOrEqual(400);
    expect(linesOf().length).toBeGreaterThan(3);
  });
});
