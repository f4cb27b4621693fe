import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unsafe } from '../../../src/model/printable-text.ts';
import { runCommand } from '../../support/run-command.ts';
import { ServerProcess } from '../../support/server-process.mjs';
import { developmentKey } from '../../support/table-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const accounts = {
  AZURITE_ACCOUNTS: ['first', 'second', 'third'].map((name) => `${name}:${developmentKey}`).join(';'),
};
const flags = ['--tablePort', '0', '--inMemoryPersistence', '--silent', '--table-delete-delay', '600'];
const server = new ServerProcess(flags, { env: accounts });
let url: string;
const run = (...words: string[]) => runCommand(words, { cwd: folder.path, env: { ...accounts, TANZANITE_URL: url } });

beforeAll(async () => {
  url = await server.ready();
});
afterAll(async () => {
  await server.end('SIGKILL');
  folder.remove();
});

function writeTables(tables: readonly (readonly [account: string, table: string])[]): void {
  const entity = { PartitionKey: 'p', RowKey: 'r', properties: {} };
  const collections = [
    { name: '$TABLES_COLLECTION$', data: tables.map(([account, table]) => ({ account, table })) },
    ...tables.map(([account, table]) => ({ name: `${account}$${table}`, data: [entity] })),
  ];
  writeFileSync(join(folder.path, '__azurite_db_table__.json'), JSON.stringify({ collections }));
}

describe('import azurite, for a file with several accounts,', () => {
  it('names the imported accounts if a later one cannot be imported, and does not change the others', async () => {
    for (const words of ['create', 'delete']) await run('table', words, 'Busy', '--account', 'second');
    writeTables([
      ['first', 'Pets'],
      ['second', 'Pets'],
      ['second', 'Busy'],
      ['third', 'Pets'],
    ]);
    const failed = await run('import', 'azurite', '.');
    expect(failed).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^tanzanite: .* 404 TableBeingDeleted: Table Busy of account second is being deleted\. Imported: first; no other account was changed\.\n$/,
      ),
    });
    const tablesOf = async (account: string): Promise<string> =>
      (await run('table', 'list', '--account', account)).stdout;
    expect([await tablesOf('first'), await tablesOf('second'), await tablesOf('third')]).toEqual(['Pets\n', '', '']);
    writeTables([
      ['second', 'Pets'],
      ['third', 'Pets'],
    ]);
    expect(await run('import', 'azurite', '.')).toMatchObject({ code: 0, stderr: '' });
    expect([await tablesOf('second'), await tablesOf('third')]).toEqual(['Pets\n', 'Pets\n']);
  });
});

describe('import azurite, for a hostile file,', () => {
  it('prints nothing that a terminal interprets, and does not replace data with damaged entities', async () => {
    writeTables([['first', 'Kept']]);
    await run('import', 'azurite', '.');
    const entity = { PartitionKey: '\u001b[2J', RowKey: 'r', properties: { '\u009bm': [] } };
    const data = ['Kept', '\u001b]0;x\u0007', 'Pets'].map((table) => ({ account: 'first', table }));
    const collections = [
      { name: '$TABLES_COLLECTION$', data },
      { name: 'first$Pets', data: [entity] },
      { name: 'first$\u001b[31m', data: [entity] },
    ];
    writeFileSync(join(folder.path, '__azurite_db_table__.json'), JSON.stringify({ collections }));
    const { code, stdout, stderr } = await run('import', 'azurite', '.');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'Pets: 0 entities\naccount first: imported 1 table, 0 entities\nleft out 4, named on standard error\n',
    });
    expect(stderr.replaceAll('\n', '')).not.toMatch(unsafe);
    expect((await run('entity', 'get', 'Kept', 'p', 'r', '--account', 'first')).code).toBe(0);
  });

  it('changes nothing if an account does not exist, and imports entities that are too large for one request', async () => {
    writeTables([
      ['first', 'New'],
      ['nobody', 'Pets'],
    ]);
    expect(await run('import', 'azurite', '.')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no account nobody here. Nothing was changed.'),
    });
    expect((await run('table', 'list', '--account', 'first')).stdout).not.toContain('New');
    const text = 'é'.repeat(32_000);
    const properties = { a: text, b: text, c: text };
    const large = Array.from({ length: 30 }, (_, at) => ({ PartitionKey: 'p', RowKey: `${at}`, properties }));
    const collections = [
      { name: '$TABLES_COLLECTION$', data: [{ account: 'first', table: 'Large' }] },
      { name: 'first$Large', data: large },
    ];
    writeFileSync(join(folder.path, '__azurite_db_table__.json'), JSON.stringify({ collections }));
    expect(await run('import', 'azurite', '.')).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('import azurite, for a file without tables,', () => {
  it.each([['.'], ['__azurite_db_table__.json']])('says so, and changes nothing: %s', async (given) => {
    writeTables([['first', 'Kept']]);
    expect(await run('import', 'azurite', given)).toMatchObject({ code: 0, stderr: '' });
    writeTables([]);
    const stderr = '__azurite_db_table__.json holds no tables: nothing was changed.\n';
    expect(await run('import', 'azurite', given)).toEqual({ code: 0, stdout: '', stderr });
    expect(await run('import', 'azurite', given, '--json')).toEqual({
      code: 0,
      stdout: '{"accounts":[],"leftOut":[]}\n',
      stderr,
    });
    expect((await run('table', 'list', '--account', 'first')).stdout).toContain('Kept\n');
  });
});
