import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../support/run-command.ts';
import { ServerProcess } from '../../support/server-process.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const cli = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));
/** Whether a disk of a few KiB can be made without root. */
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
const folder = temporaryFolder();
const server = new ServerProcess(['--tablePort', '0', '--inMemoryPersistence', '--silent']);
let url: string;
const run = (...words: string[]) => runCommand(words, { cwd: folder.path, env: { TANZANITE_URL: url } });

beforeAll(async () => {
  url = await server.ready();
});
afterAll(async () => {
  await server.end('SIGKILL');
  folder.remove();
});

const write = (name: string, text: string): void => writeFileSync(join(folder.path, name), text);
const line = (key: string): string => `{"PartitionKey":"p","RowKey":"${key}","Age":5}\n`;

describe('seed and export', () => {
  it('say what they did, and export writes what seed loaded', async () => {
    write('Pets.ndjson', line('a') + line('b'));
    const seeded = await run('seed', 'Pets.ndjson');
    expect(seeded).toEqual({ code: 0, stdout: 'Pets: 2 entities\nseeded 1 table, 2 entities\n', stderr: '' });
    expect((await run('export', '--table', 'pets', '-')).stdout).toBe(line('a') + line('b'));
    const exported = await run('export', 'out', '--format', 'json', '--json');
    expect(JSON.parse(exported.stdout)).toEqual({ tables: [{ name: 'Pets', entities: 2 }], obsolete: [] });
    expect(readdirSync(join(folder.path, 'out'))).toEqual(['Pets.json']);
    expect(readFileSync(join(folder.path, 'out', 'Pets.json'), 'utf8')).toBe(
      `[\n${line('a').trim()},\n${line('b')}]\n`,
    );
  });

  it('name the file, the line and the reason for a refusal, exit with 2 and change nothing', async () => {
    write('Pets.ndjson', line('a') + line('b'));
    await run('seed', 'Pets.ndjson');
    write('Pets.ndjson', line('c') + line('d') + line('c'));
    expect(await run('seed', 'Pets.ndjson')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'tanzanite: Pets.ndjson:3: PartitionKey "p" and RowKey "c" occur twice (nothing was changed).\n',
    });
    expect((await run('seed', 'absent')).stderr).toMatch(/^tanzanite: absent cannot be read: .*ENOENT/);
    expect((await run('export', '--table', 'Absent', '-')).stderr).toMatch(/there is no table Absent/);
    expect((await run('export', '--table', 'Pets', '-')).stdout).toBe(line('a') + line('b'));
  });

  it.each([
    [
      'a value',
      '{"PartitionKey":"p","RowKey":"x","n@odata.type":"Edm.Int32","n":"y"}',
      'property n is y, which is not a value of Edm.Int32',
    ],
    ['a key that occurred', line('000007').trim(), 'PartitionKey "p" and RowKey "000007" occur twice'],
    ['what is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'is not UTF-8'],
    [
      'a limit',
      `{"PartitionKey":"p","RowKey":"x","t":"${'t'.repeat(40_000)}"}`,
      'PropertyValueTooLarge: The property t',
    ],
    ['a line that is too long', `{"PartitionKey":"${'p'.repeat(4 * 1_048_576)}`, 'is longer than 4 MiB'],
  ])('name the line of %s far into a file, with blank lines and CRLF before it', async (_, wrong, reason) => {
    const lines = Array.from({ length: 1_300 }, (_, at) => line(String(at).padStart(6, '0')).trim());
    const text = Buffer.from(`\ufeff\n${lines.join('\r\n\n')}\n`);
    writeFileSync(join(folder.path, 'Rows.ndjson'), text);
    expect((await run('seed', 'Rows.ndjson')).stdout).toContain('seeded 1 table, 1,300 entities');
    writeFileSync(join(folder.path, 'Rows.ndjson'), Buffer.concat([text, Buffer.from(wrong), Buffer.from('\r\n')]));
    const { code, stderr } = await run('seed', 'Rows.ndjson');
    expect(code).toBe(2);
    expect(stderr).toMatch(/^tanzanite: Rows\.ndjson:2601: .* \(nothing was changed\)\.\n$/);
    expect(stderr.replaceAll('"', '')).toContain(reason.replaceAll('"', ''));
    expect((await run('export', '--table', 'Rows', '-')).stdout.split('\n')).toHaveLength(1_301);
  });

  it('import azurite imports accounts, types, ETags and policies, and names what it leaves out', async () => {
    const etag = `W/"datetime'2024-05-01T10%3A00%3A00.1234567Z'"`;
    const guid = Buffer.from('4185404a-5818-48c3-b9be-f217df0dba6f').toString('base64');
    const properties = { 'g@odata.type': 'Edm.Guid', g: guid, 'l@odata.type': 'Edm.Int64', l: '5', n: 1.5, z: null };
    const documents = [
      { PartitionKey: 'p', RowKey: 'r', properties, eTag: etag },
      { PartitionKey: 'a/b', RowKey: 'r', properties: {} },
    ];
    const acl = [{ id: 'one', accessPolicy: { start: '', expiry: '2030-01-01T00:00:00Z', permission: 'r' } }];
    const tables = [{ account: 'devstoreaccount1', table: 'Old', tableAcl: acl }];
    const collections = [
      { name: '$TABLES_COLLECTION$', data: tables },
      { name: 'devstoreaccount1$Old', data: documents },
    ];
    write('__azurite_db_table__.json', JSON.stringify({ collections }));
    const { code, stdout, stderr } = await run('import', 'azurite', '__azurite_db_table__.json');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        'Old: 1 entity\naccount devstoreaccount1: imported 1 table, 1 entity\nleft out 1, named on standard error\n',
    });
    expect(stderr).toMatch(
      /^left out: account devstoreaccount1, table Old: PartitionKey "a\/b" and RowKey "r": OutOfRangeInput/,
    );
    const got = await run('entity', 'get', 'Old', 'p', 'r', '--json');
    expect(got.stdout).toContain('"Timestamp":"2024-05-01T10:00:00.1234567Z"');
    await run('export', 'old', '--table', 'Old');
    expect(readFileSync(join(folder.path, 'old', 'Old.ndjson'), 'utf8')).toBe(
      '{"PartitionKey":"p","RowKey":"r","g@odata.type":"Edm.Guid","g":"4185404a-5818-48c3-b9be-f217df0dba6f","l@odata.type":"Edm.Int64","l":"5","n":1.5}\n',
    );
    expect(JSON.parse(readFileSync(join(folder.path, 'old', 'tables.json'), 'utf8'))).toEqual({
      Old: [{ id: 'one', expiry: '2030-01-01T00:00:00.0000000Z', permission: 'r' }],
    });
    const [collection] = collections;
    const moved = [
      { account: 'devstoreaccount1', table: 'Old' },
      { account: 'absent', table: 'Old' },
    ];
    const lists = moved.map(({ account, table }) => ({ name: `${account}$${table}`, data: [] }));
    write('__azurite_db_table__.json', JSON.stringify({ collections: [{ ...collection, data: moved }, ...lists] }));
    expect(await run('import', 'azurite', '.')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/absent.* Nothing was changed\.\n$/),
    });
    expect((await run('export', '--table', 'Old', '-')).stdout).toContain('4185404a');
    write('none.json', '{}');
    expect((await run('import', 'azurite', 'none.json')).stderr).toMatch(/is not a table file of Azurite/);
  });
});

describe('export into a folder with files of tables that no longer exist', () => {
  it('names these files and leaves them, but removes them with --clean', async () => {
    for (const file of ['Gone.ndjson', 'Pets.ndjson']) write(file, line('a'));
    await run('seed', 'Pets.ndjson');
    mkdirSync(join(folder.path, 'team'));
    for (const file of ['Gone.ndjson', 'Pets.csv', 'notes.md', 'Kept.ndjson']) write(join('team', file), '');
    await run('seed', join('team', 'Kept.ndjson'));
    const first = await run('export', 'team', '--table', 'Pets');
    expect(first.stderr).toBe(
      ['Gone.ndjson', 'Pets.csv']
        .map((file) => `${join('team', file)} is not from this export, but tanzanite seed would load it\n`)
        .join(''),
    );
    expect(readdirSync(join(folder.path, 'team')).sort()).toEqual(
      ['Gone.ndjson', 'Kept.ndjson', 'Pets.csv', 'Pets.ndjson', 'notes.md'].sort(),
    );
    expect(await run('export', 'team', '--table', 'Pets', '--clean')).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(join(folder.path, 'team')).sort()).toEqual(['Kept.ndjson', 'Pets.ndjson', 'notes.md']);
  });
});

describe('an export that cannot be written', () => {
  it('removes the leftovers of a killed export, but not the files of a running one', async () => {
    write('Aaa.ndjson', line('a'));
    await run('seed', 'Aaa.ndjson');
    const killed = spawnSync(process.execPath, ['--version']).pid;
    mkdirSync(join(folder.path, 'left'));
    const running = `.Aaa.csv.${process.pid}.part`;
    for (const name of [`.Aaa.csv.${killed}.part`, `.Aaa.csv.${killed}.part.rows`, running])
      write(join('left', name), '');
    await run('export', 'left', '--table', 'Aaa');
    expect(readdirSync(join(folder.path, 'left')).sort()).toEqual([running, 'Aaa.ndjson']);
  });

  it.each(['taken', join('taken', 'below')])('names the file that exists in place of the folder: %s', async (path) => {
    write('taken', 'a file');
    write('Aaa.ndjson', line('a'));
    await run('seed', 'Aaa.ndjson');
    expect(await run('export', path)).toEqual({
      code: 2,
      stdout: '',
      stderr: `tanzanite: ${path} cannot be written: taken is a file, not a folder (no file was changed).\n`,
    });
  });

  it('says how many files are complete, and leaves no other', async () => {
    const files = ['Aaa.ndjson', 'Bbb.ndjson'];
    for (const file of files) write(file, line('a'));
    await run('seed', ...files);
    mkdirSync(join(folder.path, 'half', 'Bbb.ndjson'), { recursive: true });
    const { code, stderr } = await run('export', 'half', '--table', 'Aaa', '--table', 'Bbb');
    expect(code).toBe(2);
    expect(stderr).toMatch(/^tanzanite: half cannot be written: .*Bbb\.ndjson.* \(1 of 2 files are written\)\.\n$/);
    expect(readdirSync(join(folder.path, 'half')).sort()).toEqual(files);
  });

  it.skipIf(!canMount)('because the disk is full prints one line, in each format, and leaves nothing', async () => {
    write('Aaa.ndjson', Array.from({ length: 3_000 }, (_, at) => line(String(at))).join(''));
    await run('seed', 'Aaa.ndjson');
    mkdirSync(join(folder.path, 'full'), { recursive: true });
    const shell = 'mount -t tmpfs -o size=16k none full && "$0" "$@"; code=$?; ls -A full; exit $code';
    const words = [process.execPath, cli, 'export', 'full', '--table', 'Aaa', '--url', url];
    for (const format of ['ndjson', 'csv', 'json']) {
      const { status, stdout, stderr } = spawnSync(
        'unshare',
        ['-rm', 'sh', '-c', shell, ...words, '--format', format],
        {
          cwd: folder.path,
          encoding: 'utf8',
        },
      );
      expect(stderr).toMatch(/^tanzanite: full cannot be written: ENOSPC.* \(no file was changed\)\.\n$/);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    }
  });
});

describe('a failure is one line', () => {
  it.each([
    [['seed', '--wrong', 'x'], 2, /unknown flag --wrong/],
    [['seed', 'absent.ndjson'], 2, /absent\.ndjson cannot be read: .*\(nothing was changed\)/],
    [['seed', 'empty'], 2, /empty is a folder without table files/],
    [['import', 'azurite', 'absent.json'], 2, /absent\.json cannot be read/],
    [['export', 'out', '--format', 'xml'], 2, /xml/],
    [['export', 'out', '--account', 'absent'], 1, /absent.* No file was changed\./],
    [['export', '--table', 'Absent', '-'], 2, /there is no table Absent \(nothing was printed\)/],
    [['import', 'azurte', 'x'], 2, /unknown command azurte: did you mean azurite\? tanzanite import --help lists/],
    [['seed', 'Pets.ndjson', '--url', 'http://127.0.0.1:9'], 1, /no emulator answers at .* Nothing was changed\./],
  ])('%s', async (words, code, reason) => {
    mkdirSync(join(folder.path, 'empty'), { recursive: true });
    write('Pets.ndjson', line('a'));
    const result = await run(...words);
    expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(reason) });
    expect(result.stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('start --seed', () => {
  it('fills an empty account, and --seed-always replaces what it has', async () => {
    write('Pets.ndjson', line('a'));
    const start = async (...flags: string[]): Promise<string> => {
      const other = new ServerProcess([
        '--tablePort',
        '0',
        '--silent',
        '--location',
        join(folder.path, 'db'),
        ...flags,
      ]);
      const address = await other.ready();
      const words = ['export', '--table', 'Pets', '-', '--url', address];
      const { stdout } = await runCommand(words, { cwd: folder.path, env: {} });
      await other.end('SIGTERM');
      return stdout;
    };
    const file = join(folder.path, 'Pets.ndjson');
    expect(await start('--seed', file)).toBe(line('a'));
    write('Pets.ndjson', line('b'));
    expect(await start('--seed', file)).toBe(line('a'));
    expect(await start('--seed-always', file)).toBe(line('b'));
  });
});
