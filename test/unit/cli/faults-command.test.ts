// `tanzanite faults`, and the flags --faults and --fault-seed of start.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../support/run-command.ts';
import { ServerProcess } from '../../support/server-process.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const token = 'a-token-of-some-length';
const folder = temporaryFolder();
const file = (name: string, text: string): string => {
  const path = join(folder.path, name);
  writeFileSync(path, text);
  return path;
};
const busy = { fault: { kind: 'error', code: 'ServerBusy' } };
const rules = file('rules.json', JSON.stringify([{ name: 'from a file', ...busy, when: { first: 1 } }]));

const server = new ServerProcess(
  ['--tablePort', '0', '--inMemoryPersistence', '--faults', rules, '--fault-seed', '7'],
  { env: { TANZANITE_CONTROL_TOKEN: token } },
);
let url: string;

beforeAll(async () => {
  url = await server.ready();
});
afterAll(async () => {
  await server.end('SIGKILL');
  folder.remove();
});

const faults = (...args: string[]) =>
  runCommand(['faults', ...args], { env: { TANZANITE_URL: url, TANZANITE_CONTROL_TOKEN: token } });

describe('start --faults', () => {
  it('begins with the rules of the file, and prints the seed', async () => {
    expect(server.stdout).toContain('fault seed 7, with 1 rule of ');
    const { stdout } = await faults('list', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ seed: 7, rules: [{ id: '1', name: 'from a file', hits: 0 }] });
    expect((await fetch(`${url}/devstoreaccount1/Tables`)).status).toBe(503);
    expect((await fetch(`${url}/devstoreaccount1/Tables`)).status).not.toBe(503);
  });

  it.each([
    ['not there', () => join(folder.path, 'none.json'), 'There is no such file.'],
    ['the name of a failure', () => 'hang', 'tanzanite faults add hang stages the failure of that name'],
    ['not JSON', () => file('text.json', 'busy'), 'It is not JSON'],
    ['of an unknown kind', () => file('kind.json', '{"fault":{"kind":"burn"}}'), '"fault.kind"'],
    [
      'a list with one that does not fit',
      () => file('list.json', JSON.stringify([busy, { ...busy, times: 0 }])),
      '"[1].times"',
    ],
    ['larger than 1 MiB', () => file('large.json', `[${' '.repeat(1_048_576)}]`), '1 MiB'],
    [
      'a folder',
      () => {
        const path = join(folder.path, 'folder');
        mkdirSync(path);
        return path;
      },
      'not a file',
    ],
  ])('ends with 2 for a file that is %s, and says what is wrong', async (_, path, reason) => {
    const given = path();
    const { code, stderr } = await runCommand(['--tablePort', '0', '--inMemoryPersistence', '--faults', given]);
    expect(code).toBe(2);
    expect(stderr).toContain(given);
    expect(stderr).toContain(reason);
  });
});

describe('faults', () => {
  afterEach(async () => {
    await faults('clear');
  });

  it('adds rules as JSON, by the name of a failure and from a file; lists and clears them', async () => {
    await faults('clear');
    const added = expect.stringMatching(/^added \d+\n$/);
    const isDone = { code: 0, stdout: added, stderr: '' };
    expect(await faults('add', JSON.stringify(busy))).toEqual(isDone);
    expect(await faults('add', 'busy')).toEqual(isDone);
    expect(await faults('add', rules)).toEqual(isDone);
    const { stdout } = await faults('list');
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^\d+ {2}0 of 0 struck {2}\{"fault":\{"kind":"error","code":"ServerBusy"\}\}$/);
    expect(lines[1]).toMatch(/^\d+ {2}busy {2}0 of 0 struck /);
    const [id = ''] = (lines[0] ?? '').split(' ');
    expect((await faults('clear', id)).stdout).toBe(`removed rule ${id}\n`);
    expect((await faults('clear')).stdout).toBe('removed 2\n');
    expect(await faults('list')).toEqual({ code: 0, stdout: '', stderr: 'no rules are in force\n' });
  });

  it.each([
    ['a field that does not fit', '{"fault":{"kind":"hang","ms":1}}', '"fault.ms"'],
    ['a misspelt failure', 'bussy', 'there is no failure and no file bussy; did you mean busy?'],
    ['a file that is absent', 'none.json', 'there is no failure and no file none.json; tanzanite faults --help lists'],
    ['broken JSON', '{', 'It is not JSON'],
  ])('ends with 2 for %s', async (_, rule, reason) => {
    const { code, stderr } = await faults('add', rule);
    expect([code, stderr.split('\n').length]).toEqual([2, 2]);
    expect(stderr).toContain(reason);
  });

  it('ends with 1 for an unknown id', async () => {
    const { code, stderr } = await faults('clear', '999');
    expect(code).toBe(1);
    expect(stderr).toContain('FaultNotFound');
  });

  it('are removed by reset --faults, which empties nothing else', async () => {
    await faults('add', 'busy');
    const env = { TANZANITE_URL: url, TANZANITE_CONTROL_TOKEN: token };
    expect(await runCommand(['reset', '--faults'], { env })).toEqual({
      code: 0,
      stdout: 'removed all faults\n',
      stderr: '',
    });
    expect((await faults('list')).stdout).toBe('');
  });
});
