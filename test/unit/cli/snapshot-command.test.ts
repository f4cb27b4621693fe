import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JsonClient } from '../../support/json-client.mjs';
import { runCommand } from '../../support/run-command.ts';
import { ServerProcess } from '../../support/server-process.mjs';

const token = 'a-token-of-some-length';
const accounts =
  'devstoreaccount1:Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;other1:a2V5';
const server = new ServerProcess(['--tablePort', '0', '--inMemoryPersistence'], {
  env: { TANZANITE_CONTROL_TOKEN: token, AZURITE_ACCOUNTS: accounts },
});
let url: string;
let client: JsonClient;

const snapshot = (...args: string[]) =>
  runCommand(['snapshot', ...args], { env: { TANZANITE_URL: url, TANZANITE_CONTROL_TOKEN: token } });
const add = (table: string, key: string) =>
  client.send({ method: 'POST', path: table, body: { PartitionKey: 'p', RowKey: key } });
const count = async (table: string): Promise<number> => (await client.readAll(table)).length;
const done = (stdout: string) => ({ code: 0, stdout, stderr: '' });

beforeAll(async () => {
  url = await server.ready();
  client = new JsonClient(url);
  for (const table of ['Pets', 'Plants']) await client.createTable(table);
  await add('Pets', 'one');
});
afterAll(async () => {
  await client.close();
  await server.end('SIGKILL');
});

describe('snapshot', () => {
  it('saves, restores, lists and deletes, and says so', async () => {
    const name = "two words/../é'";
    expect(await snapshot('save', name)).toEqual(done(`saved ${name}: 2 tables of account devstoreaccount1\n`));
    for (const table of ['Pets', 'Plants']) await add(table, 'two');
    expect(await snapshot('restore', name)).toEqual(done(`restored ${name}: 2 tables of account devstoreaccount1\n`));
    expect([await count('Pets'), await count('Plants')]).toEqual([1, 0]);
    expect((await snapshot('list')).stdout).toMatch(/^two words\/\.\.\/é' {2}\S+Z {2}2 tables\n$/);
    expect(await snapshot('delete', name)).toEqual(done(`deleted ${name}\n`));
    expect(await snapshot('list')).toEqual({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('no snapshots of account devstoreaccount1'),
    });
  });

  it('selects one table with --table, when it saves or when it restores', async () => {
    const said = await snapshot('save', 'one', '--table', 'pets');
    expect(said).toEqual(done('saved one: table Pets of account devstoreaccount1\n'));
    await snapshot('save', 'all');
    for (const table of ['Pets', 'Plants']) await add(table, 'two');
    const back = await snapshot('restore', 'one');
    expect(back).toEqual(done('restored one: table Pets of account devstoreaccount1\n'));
    expect([await count('Pets'), await count('Plants')]).toEqual([1, 1]);
    await client.send({ method: 'DELETE', path: "Tables('Pets')" });
    expect((await snapshot('restore', 'all', '--table', 'Pets')).stdout).toMatch(/^restored all: table Pets of /);
    expect([await count('Pets'), await count('Plants')]).toEqual([1, 1]);
    expect((await snapshot('list')).stdout).toMatch(/^all {2}\S+ {2}2 tables\none {2}\S+ {2}table Pets\n$/);
  });

  it('works on one account with --account, and prints the answer with --json', async () => {
    const { stdout } = await snapshot('save', 'base', '--account', 'other1', '--json');
    const saved = { account: 'other1', name: 'base', savedAt: expect.any(String), tables: 0 };
    expect(JSON.parse(stdout)).toEqual(saved);
    const listed = await snapshot('list', '--account', 'other1', '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject({ account: 'other1', snapshots: [{ name: 'base', tables: 0 }] });
    expect(JSON.parse((await snapshot('restore', 'base', '--account', 'other1', '--json')).stdout)).toEqual(saved);
    const deleted = await snapshot('delete', 'base', '--account', 'other1', '--json');
    expect(JSON.parse(deleted.stdout)).toEqual({ account: 'other1', name: 'base' });
  });

  it('says in one line what does not exist, and exits with 1', async () => {
    await snapshot('save', 'base');
    const failures = [
      await snapshot('restore', 'missing'),
      await snapshot('delete', 'missing', '--json'),
      await snapshot('save', 'base', '--table', 'Absent'),
      await snapshot('restore', 'base', '--table', 'Absent'),
      await snapshot('list', '--account', 'absent'),
      await snapshot('save', 'x'.repeat(129)),
      await snapshot('save', 'base', '--control-token', `${token}2`),
      await snapshot('save', 'base', '--url', 'http://127.0.0.1:1'),
    ];
    for (const { code, stdout, stderr } of failures) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^tanzanite: [^\n]+\n$/);
      expect(stderr).not.toContain(token);
    }
    expect(failures.map(({ stderr }) => stderr)).toEqual([
      expect.stringContaining('404 SnapshotNotFound: Account devstoreaccount1 has no snapshot "missing".'),
      expect.stringContaining('404 SnapshotNotFound'),
      expect.stringContaining('404 TableNotFound'),
      expect.stringContaining('404 TableNotFound'),
      expect.stringContaining('404 AccountNotFound: there is no account absent here.'),
      expect.stringContaining('400 InvalidInput: The name of a snapshot has 1 to 128 characters.'),
      expect.stringContaining('401 TokenWrong'),
      expect.stringContaining('no emulator answers at http://127.0.0.1:1: '),
    ]);
  });

  it.each([
    ['no command', [], 'snapshot'],
    ['a command that is none', ['sav', 'base'], 'sav'],
    ['no name', ['save'], 'tanzanite: snapshot save needs a <name>. tanzanite snapshot save --help'],
    ['an empty name', ['save', ''], '"" is not a name for a snapshot.'],
    ['a name that no address can hold', ['save', '..'], '".." is not a name for a snapshot.'],
    ['two names', ['restore', 'a', 'b'], 'snapshot restore takes 1 word, not 2'],
    ['--table for a deletion', ['delete', 'base', '--table', 'Pets'], '--table'],
  ])('is refused with code 2 for %s', async (_, args, reason) => {
    const { code, stdout, stderr } = await snapshot(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(reason);
  });
});
