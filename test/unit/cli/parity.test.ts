// `tanzanite parity`, `tanzanite report` and `exec --record`, each run as a process.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { type CommandResult, runCommand } from '../../support/run-command.ts';
import { ServerProcess } from '../../support/server-process.mjs';
import { openClient } from '../../support/table-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { plantServer } from '../parity/planted-server.ts';
import { recordRequests } from '../parity/record-scenario.ts';

const folder = temporaryFolder();
const file = join(folder.path, 'orders.ndjson');
const state = join(folder.path, 'state');
const env = { XDG_STATE_HOME: state, TANZANITE_URL: undefined, AZURITE_ACCOUNTS: undefined };
let emulator: Awaited<ReturnType<typeof startEmulator>>;

beforeAll(async () => {
  emulator = await startEmulator({ port: 0 });
  await recordRequests(file, async (client) => {
    await client.send({ method: 'POST', path: '/Tables', body: '{"TableName":"Orders"}' });
    await client.send({ method: 'POST', path: '/Orders', body: '{"PartitionKey":"p","RowKey":"r","Customer":"Ada"}' });
    await client.send({ method: 'GET', path: "/Orders(PartitionKey='p',RowKey='r')" });
  });
});
afterAll(async () => {
  await emulator.close();
  folder.remove();
});

const parity = (...words: string[]): Promise<CommandResult> => runCommand(['parity', ...words], { env });

async function tables(): Promise<readonly string[]> {
  const client = openClient(emulator.url);
  const { body } = await client.send({
    method: 'GET',
    path: '/Tables',
    headers: { Accept: 'application/json;odata=nometadata' },
  });
  await client.close();
  return (JSON.parse(body) as { value: { TableName: string }[] }).value.map(({ TableName }) => TableName);
}

describe('tanzanite parity', () => {
  it('exits with 0 if all responses are the same, and leaves nothing behind', async () => {
    const { code, stdout, stderr } = await parity(file, '--against', emulator.url);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^3 requests of .*orders\.ndjson, recorded with Tanzanite .*\n\n3 of 3 requests got the same response\.\n$/,
    );
    expect(await tables()).toEqual([]);
    expect(readdirSync(join(state, 'tanzanite/parity'))).toEqual([]);
  });

  it('exits with 1 and names the differences, for people and for programs', async () => {
    const planted = await plantServer(emulator.url, ({ method, url }, response) =>
      method === 'GET' && url.includes('RowKey')
        ? { ...response, status: 404, body: Buffer.from('\u001b[31m') }
        : response,
    );
    const { code, stdout } = await parity(file, '--against', planted.url);
    expect(code).toBe(1);
    expect(stdout).toContain('1 of 3 requests pass on Tanzanite');
    expect(stdout).toContain("  1 × status 200, there 404\n      3  GET Orders(PartitionKey='p',RowKey='r')\n");
    expect(stdout).not.toContain('\u001b');
    const json = await parity(file, '--against', planted.url, '--json');
    expect([json.code, json.stderr]).toEqual([1, '']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      requests: 3,
      equal: 2,
      differing: 1,
      causes: [{ count: 1, examples: [{ number: 3 }] }],
    });
    await planted.close();
  });

  it.each([
    ['a file that is not there', ['none.ndjson', '--against', 'http://127.0.0.1:1'], /cannot be read/],
    ['another kind of file', [import.meta.filename, '--against', 'http://127.0.0.1:1'], /is neither a recording/],
    ['no endpoint', [file], /--against/],
    ['an address beyond this machine', [file, '--against', 'http://127.0.0.1.example.com/a'], /is not on this machine/],
    [
      'a prefix that no table can have',
      [file, '--against', 'http://127.0.0.1:1', '--tables-prefix', 'a_'],
      /letters and digits/,
    ],
    [
      'an account beyond this machine without --yes',
      [file, '--against', 'AccountName=a;AccountKey=c2VjcmV0;TableEndpoint=https://a.table.example.com'],
      /3 requests with [\d,]+ bytes will be sent to https:\/\/a\.table\.example\.com.*Confirm it with --yes/,
    ],
  ])('exits with 2 and one line for %s', async (_, words, line) => {
    const { code, stdout, stderr } = await parity(...words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(line);
  });

  it('exits with 1 if nothing answers, and with 2 if its prefix is in use', async () => {
    expect(await parity(file, '--against', 'http://127.0.0.1:1')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nothing answers'),
    });
    const client = openClient(emulator.url);
    await client.send({ method: 'POST', path: '/Tables', body: '{"TableName":"mineOrders"}' });
    const used = await parity(file, '--against', emulator.url, '--tables-prefix', 'Mine');
    expect(used).toMatchObject({ code: 2, stderr: expect.stringContaining('mineOrders') });
    await client.send({ method: 'DELETE', path: "/Tables('mineOrders')" });
    await client.close();
  });

  it('leaves tables if it is killed, which the next run names or removes; runs do not disturb each other', async () => {
    for (const [prefix, expected] of [
      [undefined, /removed tables that an unfinished run left: parity[\da-f]{8}Orders/],
      ['mine', /tables of an unfinished run remain at .*: mineOrders\. tanzanite table delete removes one/],
    ] as const) {
      const planted = await plantServer(emulator.url, ({ method, url }, response) =>
        method === 'GET' && url.includes('RowKey') ? undefined : response,
      );
      const given = prefix === undefined ? [] : ['--tables-prefix', prefix];
      const run = new ServerProcess(['parity', file, '--against', planted.url, ...given], { env });
      while (!planted.requests.some(({ url }) => url.includes('RowKey')))
        await new Promise<void>((resolve) => setImmediate(resolve));
      if (prefix !== undefined) {
        const second = await parity(file, '--against', planted.url, ...given);
        expect(second).toMatchObject({ code: 2, stdout: '' });
      }
      await run.end('SIGKILL');
      expect(await tables()).toHaveLength(1);
      await planted.close();
      // Each run uses the same address, because the notes contain it.
      const folderOfNotes = join(state, 'tanzanite/parity');
      for (const name of readdirSync(folderOfNotes)) {
        const notes = join(folderOfNotes, name);
        writeFileSync(notes, readFileSync(notes, 'utf8').replace(planted.url, emulator.url));
      }
      const next = await parity(file, '--against', emulator.url);
      expect(next.stderr).toMatch(expected);
      expect(next.code).toBe(0);
      if (prefix !== undefined) await emulator.reset();
      expect(await tables()).toEqual([]);
    }
    expect((await parity(file, '--against', emulator.url)).stderr).toBe('');
    expect(readdirSync(join(state, 'tanzanite/parity'))).toEqual([]);
  });

  it('continues without a folder for its notes', async () => {
    const blocked = join(folder.path, 'blocked');
    mkdirSync(blocked);
    writeFileSync(join(blocked, 'tanzanite'), '');
    const { code, stderr } = await runCommand(['parity', file, '--against', emulator.url], {
      env: { ...env, XDG_STATE_HOME: blocked },
    });
    expect(code).toBe(0);
    expect(stderr).toMatch(/the next run cannot name the tables that this run leaves: /);
  });
});

describe('tanzanite report', () => {
  it('prints the chosen requests without values, and writes them once that is confirmed', async () => {
    const out = join(folder.path, 'report.ndjson');
    const asked = await runCommand(['report', file, '--requests', '2-3', '--out', out], { env });
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain('confirm with --yes');
    expect(existsSync(out)).toBe(false);
    const { code, stdout } = await runCommand(['report', file, '--requests', '2-3', '--out', out, '--yes'], { env });
    expect(code).toBe(0);
    expect(readFileSync(out, 'utf8')).toBe(stdout);
    expect(stdout).not.toContain('Ada');
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
    const again = await runCommand(['report', file, '--out', out, '--yes'], { env });
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('exists. Name a new file.') });
  });

  it.each([
    [['--requests', '3-2'], /Give numbers and ranges/],
    [['--requests', '99'], /holds none of these requests/],
  ])('exits with 2 for %j', async (words, line) => {
    const { code, stderr } = await runCommand(['report', file, ...words], { env });
    expect(code).toBe(2);
    expect(stderr).toMatch(line);
  });
});

it('tanzanite exec --record appends what its command sends', async () => {
  const recorded = join(folder.path, 'exec.ndjson');
  const program =
    "fetch(process.env.TANZANITE_URL + '/devstoreaccount1/Tables').then((answer) => process.exit(answer.status === 403 ? 0 : 9))";
  const { code } = await runCommand(['exec', '--record', recorded, '--', process.execPath, '-e', program], { env });
  expect(code).toBe(0);
  const lines = readFileSync(recorded, 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(2);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ _settings: { record: 'given' } });
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ response: { status: 403 } });
});
