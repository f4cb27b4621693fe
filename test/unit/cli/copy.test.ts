import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { TableClient, type TransactionAction } from '@azure/data-tables';
import { describe, expect, it } from 'vitest';
import { keyConnectionString } from '../../../src/auth/connection-string.ts';
import { resumeFilePath } from '../../../src/data/copy/resume-file.ts';
import { parseConnectionString } from '../../../src/data/table-endpoint.ts';
import { hasAzurite, startAzurite } from '../../bench/servers.mjs';
import { startFeedServer } from '../../support/feed-server.ts';
import { type CommandResult, runCommand } from '../../support/run-command.ts';
import { ServerProcess } from '../../support/server-process.mjs';
import { startService } from '../../support/service.ts';
import { developmentKey, openClient } from '../../support/table-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const otherKey = Buffer.from('another key of thirty-two bytes.').toString('base64');
const from = await startService();
const to = await startService({ accounts: [{ name: 'other', keys: [otherKey] }] });
const keyed = (url: string): string => keyConnectionString({ name: 'devstoreaccount1', key: developmentKey, url });
const otherString = keyConnectionString({ name: 'other', key: otherKey, url: `${to.origin}/other` });
const folder = temporaryFolder();
const env = { TANZANITE_COPY_FROM: keyed(from.base), TANZANITE_COPY_TO: otherString, XDG_STATE_HOME: folder.path };
const copies = join(folder.path, 'tanzanite', 'copies');
const copy = (words: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<CommandResult> =>
  runCommand(['copy', ...words], { env: { ...env, ...more } });

interface Results {
  readonly entitiesWritten: number;
  readonly tables: readonly { readonly entities: number; readonly isEqual: boolean }[];
}

const sdkClient = (url: string, table: string): TableClient =>
  TableClient.fromConnectionString(keyed(url), table, { allowInsecureConnection: true });

/** Fills a table. Each partition gets a hundred entities. */
async function fill(table: string, partitions: number): Promise<void> {
  const client = sdkClient(from.base, table);
  await client.createTable();
  for (let at = 0; at < partitions; at++) {
    const partitionKey = String(at).padStart(5, '0');
    const write = (_: unknown, row: number): TransactionAction => ['create', { partitionKey, rowKey: String(row) }];
    await client.submitTransaction(Array.from({ length: 100 }, write));
  }
}

const resumeFiles = (): readonly string[] =>
  existsSync(copies)
    ? readdirSync(copies)
        .filter((file) => file.endsWith('.json'))
        .map((file) => readFileSync(join(copies, file), 'utf8'))
    : [];

describe('copy', () => {
  it('prints the tables, their digests and where they were copied to', async () => {
    await fill('Orders', 1);
    const result = await copy(['--tables', 'ord*', '--verify']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toMatch(
      /^Orders: 100 entities, equal, [0-9a-f]{32}\ncopied 1 table, 100 entities from http:\S+ to http:\S+\/other in [\d.]+ s\n$/,
    );
    expect(resumeFiles()).toEqual([]);
    expect(await copy(['--tables', 'Orders', '--dry-run'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Orders, exists at the target\nwould copy 1 table from /),
    });
  });

  it('reads a side from a file or a variable, and warns if a key is visible in the list of processes', async () => {
    const file = join(folder.path, 'to.txt');
    writeFileSync(file, `${otherString}\nanother line\n`);
    const silent = await copy(['--from', 'env:SOURCE', '--to', `@${file}`, '--dry-run'], { SOURCE: keyed(from.base) });
    expect(silent).toMatchObject({ code: 0, stderr: '' });
    const warned = await copy(['--to', otherString, '--dry-run']);
    expect(warned.stderr).toMatch(/^tanzanite: --to holds a secret, which .*\n$/);
    expect(warned.stderr).not.toContain(otherKey);
  });

  it.each([
    [['--from', 'env:ABSENT'], 2, /--from env:ABSENT: the variable is not set/],
    [['--from', '@/absent'], 2, /--from @\/absent cannot be read: ENOENT/],
    [['--from', 'nonsense'], 2, /the connection string in --from has no name and value/],
    [['--to', keyed(from.base.replace('127.0.0.1', 'localhost'))], 2, /both sides are http:/],
    [['--to', keyed('http://127.0.0.1:1/x')], 1, /nothing answers at http:\/\/127\.0\.0\.1:1\/x: .*ECONNREFUSED/],
    [['--to', keyed(`${to.origin}/other`)], 1, /\/other answers 403 Auth/],
    [['--tables', 'a/b'], 2, /Give letters and digits/],
    [['--restart', '--tabels', 'x'], 2, /did you mean --tables/],
  ] as const)('%j is refused in a line', async (words, code, reason) => {
    const result = await copy([...words]);
    expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(reason) });
    expect(result.stderr).not.toContain(developmentKey);
  });

  it('says which pattern matches no table, and fails if none matches', async () => {
    const none = await copy(['--tables', 'Odrers']);
    expect(none).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^tanzanite: no table at \S+ fits --tables "Odrers"\.\n$/),
    });
    const one = await copy(['--tables', 'Odrers', '--tables', 'Orders', '--dry-run']);
    expect(one).toMatchObject({ code: 0, stderr: none.stderr });
  });

  it('names the entities that the target refuses, copies the others, and fails', async () => {
    const source = await startFeedServer();
    const rows = Array.from({ length: 30 }, (_, at) => ({ PartitionKey: 'p', RowKey: `${at}`, 'not-a-name': at }));
    source.tables.set('Refused', [{ PartitionKey: 'o', RowKey: 'fine' }, ...rows]);
    const environment = { TANZANITE_COPY_FROM: keyed(source.base) };
    const { code, stdout, stderr } = await copy([], environment);
    expect([code, stdout]).toEqual([
      2,
      expect.stringMatching(/^Refused: 31 entities, 30 refused\ncopied 1 table, 1 entity from /),
    ]);
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(23);
    expect(lines[1]).toMatch(
      /^tanzanite: refused: table Refused, PartitionKey "p", RowKey "\d+": 400 PropertyNameInvalid: /,
    );
    expect(lines.slice(-2)).toEqual([
      'tanzanite: 10 more entities refused.',
      'tanzanite: 30 entities left out; everything else is copied.',
    ]);
    const json = await copy(['--json'], environment);
    expect(json.code).toBe(2);
    expect(JSON.parse(json.stdout)).toMatchObject({ entitiesRefused: 30, tables: [{ name: 'Refused', refused: 30 }] });
  });

  it('copies without a resume file, and says so, for a user without a home folder', async () => {
    const cwd = join(folder.path, 'without-home');
    mkdirSync(cwd);
    const words = ['copy', '--tables', 'Orders'];
    const result = await runCommand(words, {
      cwd,
      env: { ...env, HOME: '', LOCALAPPDATA: '', XDG_STATE_HOME: 'relative' },
    });
    expect(result).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Orders: 100 entities\n/) });
    expect(result.stderr).toMatch(
      /^tanzanite: no resume file can be written; .*: the user has no home folder, .*\.\n$/,
    );
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('starts again, and says so, if its resume file is damaged', async () => {
    await copy(['--tables', 'Orders', '--dry-run']);
    const subject = { from: parseConnectionString(env.TANZANITE_COPY_FROM), to: parseConnectionString(otherString) };
    mkdirSync(copies, { recursive: true });
    writeFileSync(resumeFilePath(copies, { ...subject, patterns: ['Orders'] }), '{"version":1,"tab');
    const { code, stderr } = await copy(['--tables', 'Orders']);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^tanzanite: the resume file of an earlier run cannot be used, so the copy starts over: .* is damaged[^\n]*\n$/,
      ),
    ]);
    expect(resumeFiles()).toEqual([]);
  });

  it('does not promise to continue if no resume file can be written', async () => {
    await fill('Unsaved', 60);
    const run = new ServerProcess(['copy', '--tables', 'Unsaved'], { env: { ...env, XDG_STATE_HOME: '/dev/null' } });
    const ended = run.ended();
    let hasEnded = false;
    void ended.then(() => {
      hasEnded = true;
    });
    await expect
      .poll(() => hasEnded || run.stderr.includes('no resume file can be written'), { interval: 5 })
      .toBe(true);
    run.kill('SIGINT');
    expect(await ended).toEqual({ code: 130, signal: null });
    expect(run.stderr).toMatch(/\ntanzanite: interrupted: the same command starts over\.\n$/);
  });

  it('says what the next run does if a side no longer answers', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const isAsked = new Promise((resolve) => silent.once('connection', resolve));
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/devstoreaccount1`;
    const run = new ServerProcess(['copy'], { env: { ...env, TANZANITE_COPY_FROM: keyed(url) } });
    await isAsked;
    run.kill('SIGINT');
    expect(await run.ended()).toEqual({ code: 130, signal: null });
    expect(run.stderr).toBe('tanzanite: interrupted: the same command starts over.\n');
    silent.close();
  });

  it.each(['SIGKILL', 'SIGINT'] as const)('that %s ends goes on where it was', { timeout: 240_000 }, async (signal) => {
    const table = `Long${signal}`;
    await fill(table, 120);
    const first = new ServerProcess(['copy', '--tables', table], { env });
    const hasProgress = (): boolean => resumeFiles().some((text) => text.includes('NextPartitionKey'));
    let hasEnded = false;
    const ended = first.ended().finally(() => {
      hasEnded = true;
    });
    await expect.poll(() => hasEnded || hasProgress(), { interval: 5 }).toBe(true);
    first.kill(signal);
    const end = await ended;
    expect(end).toEqual(signal === 'SIGINT' ? { code: 130, signal: null } : { code: null, signal });
    const { code, stdout, stderr } = await copy(['--tables', table, '--verify', '--json']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('goes on from there')]);
    const results = JSON.parse(stdout) as Results;
    expect(results.tables).toMatchObject([{ entities: 12_000, isEqual: true }]);
    expect(results.entitiesWritten).toBeLessThan(12_000);
    expect(resumeFiles()).toEqual([]);
  });
});

describe.skipIf(!hasAzurite())('copy from Azurite and back', () => {
  it('keeps every type and awkward keys', async () => {
    const azurite = await startAzurite();
    try {
      const origin = `http://127.0.0.1:${azurite.port}`;
      const client = sdkClient(`${origin}/devstoreaccount1`, 'Typed');
      await client.createTable();
      for (const key of ['plain', "it's", 'ü €', '100 %', 'a b+c']) {
        await client.createEntity({
          ...{ partitionKey: key, rowKey: key, n: 1, text: 'ü', flag: true, half: 0.5, raw: Buffer.from([0, 255]) },
          big: 9_007_199_254_740_993n,
          whole: { type: 'Double', value: '5' },
          nan: { type: 'Double', value: 'NaN' },
          day: { type: 'DateTime', value: '2026-01-02T03:04:05.1234567Z' },
          id: { type: 'Guid', value: '01234567-89ab-cdef-0123-456789abcdef' },
        });
      }
      const words = ['--tables', 'Typed', '--verify', '--json'];
      const { code, stdout, stderr } = await copy(words, { TANZANITE_COPY_FROM: keyed(`${origin}/devstoreaccount1`) });
      expect([code, stderr]).toEqual([0, '']);
      expect((JSON.parse(stdout) as Results).tables).toMatchObject([{ entities: 5, isEqual: true }]);
      const target = openClient(to.origin, { prefix: '/other', account: 'other', key: otherKey });
      const { body } = await target.send({ method: 'GET', path: "/Typed(PartitionKey='plain',RowKey='plain')" });
      await target.close();
      for (const part of [
        '"whole":5.0',
        '"nan@odata.type":"Edm.Double"',
        '2026-01-02T03:04:05.1234567Z',
        '"raw":"AP8="',
      ]) {
        expect(body).toContain(part);
      }
      await client.deleteTable();
      const there = keyed(`${origin}/devstoreaccount1`);
      const back = await copy(words, { TANZANITE_COPY_FROM: otherString, TANZANITE_COPY_TO: there });
      expect(back).toMatchObject({ code: 0, stderr: '' });
      expect((JSON.parse(back.stdout) as Results).tables).toMatchObject([{ entities: 5, isEqual: true }]);
    } finally {
      await azurite.stop();
    }
  });
});
