import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const { path: folder, remove } = temporaryFolder();
afterAll(remove);
const fileOf = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const rows = fileOf('rows.ndjson', '{"Team":"red","Id":1}\n{"Team":"red","Id":2}\n{"Team":"blue","Id":3}\n');
const keys = ['--partition-key', '{Team}', '--row-key', '{Id:000}'];
const simulate = (...args: string[]) => runCommand(['simulate-keys', ...args]);

describe('simulate-keys', () => {
  it('prints the distribution, and the plan of each query', async () => {
    const queries = fileOf('queries.txt', "\ufeff# a comment\nTeam eq 'red' and Id eq 2\n\ntop 1: Team eq 'red'\n*\n");
    const { code, stdout, stderr } = await simulate('--file', rows, ...keys, '--queries', queries);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain("largest       'red' with 2 entities, 67 %");
    expect(stdout).toContain("send PartitionKey eq 'red' and RowKey eq '002'");
    expect(stdout).toContain("Team eq 'red' (top 1)");
    expect(stdout).toContain('(all entities)');
  });

  it('prints JSON, and reads CSV without keys', async () => {
    const csv = fileOf('people.csv', 'Team,Id\nred,1\nblue,2\n');
    const { code, stdout } = await simulate('--file', csv, ...keys, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ present: null, tables: [{ distribution: { partitions: 2 } }] });
  });

  it('shows hostile text escaped', async () => {
    const hostile = fileOf('hostile.ndjson', '{"Team":"\\u001b[31m\\u202e","Id":1}\n{"Team":"a\\u202eb","Id":2}\n');
    const { stdout } = await simulate('--file', hostile, ...keys);
    expect(stdout).toContain('\\u202e');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
  });

  it.each([
    ['no entities', [...keys], 'give either --table, of a running emulator, or --file'],
    ['two sources', ['--file', rows, '--table', 'x', ...keys], 'give either --table'],
    ['an emulator for a file', ['--file', rows, '--url', 'http://127.0.0.1:1', ...keys], '--url goes with --table'],
    ['half of an index', ['--file', rows, ...keys, '--index-row-key', '{Id}'], 'copies need both'],
    [
      'a broken key',
      ['--file', rows, '--partition-key', '{Team', '--row-key', ''],
      '--partition-key: character 1: a {',
    ],
    [
      'an unknown property',
      ['--file', rows, '--partition-key', '{team}', '--row-key', ''],
      'no entity has team, but Team: case counts',
    ],
    ['an order by nothing', ['--file', rows, ...keys, '--order-by', 'When'], 'no entity has When'],
    ['a file that is not there', ['--file', join(folder, 'none.csv'), ...keys], 'none.csv cannot be read'],
    ['a file of another kind', ['--file', join(folder, 'x.txt'), ...keys], 'does not end in .ndjson'],
    ['a damaged file', ['--file', fileOf('bad.ndjson', '{"A":1}\n{"A":'), ...keys], 'bad.ndjson:2: '],
    ['an empty file', ['--file', fileOf('empty.ndjson', ''), ...keys], 'there is no entity'],
    [
      'a refused filter',
      ['--file', rows, ...keys, '--queries', fileOf('bad.txt', 'Id gt')],
      '--queries: the service refuses "Id gt": 400 InvalidInput',
    ],
    [
      'a file without filters',
      ['--file', rows, ...keys, '--queries', fileOf('none.txt', '# none\n')],
      'holds no filter',
    ],
    [
      'too large a top',
      ['--file', rows, ...keys, '--queries', fileOf('top.txt', 'top 1001: *')],
      'top 1001 is more than 1000',
    ],
  ])('refuses %s in one line, with code 2', async (_, args, reason) => {
    const { code, stdout, stderr } = await simulate(...args);
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^tanzanite: [^\n]+\n$/);
    expect(stderr).toContain(reason);
  });

  it('says in one line that no emulator answers, with code 1', async () => {
    const { code, stderr } = await simulate('--table', 'People', '--url', 'http://127.0.0.1:1', ...keys);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^tanzanite: no emulator answers at [^\n]+\n$/);
  });
});
