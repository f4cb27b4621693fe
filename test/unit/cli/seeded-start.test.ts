import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../support/run-command.ts';
import { ServerProcess } from '../../support/server-process.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { readStart } from './read-start.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const line = (key: string): string => `{"PartitionKey":"p","RowKey":"${key}"}\n`;
/** More lines than can be loaded before a kill. */
const manyLines = Array.from({ length: 60_000 }, (_, at) => line(String(at).padStart(6, '0'))).join('');

function files(name: string, tables: Readonly<Record<string, string>>): string {
  const path = join(folder.path, name);
  mkdirSync(path, { recursive: true });
  for (const [table, text] of Object.entries(tables)) writeFileSync(join(path, `${table}.ndjson`), text);
  return path;
}

const serverFlags = (location: string, flags: readonly string[]): string[] => [
  ...['--tablePort', '0', '--silent', '--location', location],
  ...flags,
];

/** Starts the command again, and returns the entities of each table in the account. */
async function contentsAfter(location: string, ...flags: string[]): Promise<Record<string, number>> {
  const server = new ServerProcess(serverFlags(location, flags));
  const words = ['export', join(folder.path, 'out'), '--json', '--url', await server.ready()];
  const { stdout } = await runCommand(words, { env: {} });
  await server.end('SIGTERM');
  const { tables } = JSON.parse(stdout) as { tables: { name: string; entities: number }[] };
  return Object.fromEntries(tables.map(({ name, entities }) => [name, entities]));
}

/** Kills a start as soon as the account's file has grown by this many bytes. */
async function killWhileLoading(location: string, grownBytes: number, ...flags: string[]): Promise<void> {
  const sizeOf = (ending: string): number =>
    statSync(join(location, `devstoreaccount1.sqlite${ending}`), { throwIfNoEntry: false })?.size ?? 0;
  const size = (): number => sizeOf('') + sizeOf('-wal');
  const before = size();
  const server = new ServerProcess(serverFlags(location, flags));
  await expect.poll(size, { interval: 1 }).toBeGreaterThanOrEqual(before + grownBytes);
  const { signal } = await server.end('SIGKILL');
  expect(signal).toBe('SIGKILL');
  expect(server.stdout).not.toContain('listening');
}

const killsAtBytes = [1, 200_000, 1_000_000];

// Each test makes eight starts, and loads that take long on a busy machine.
describe('a start that is killed while it seeds', { timeout: 240_000 }, () => {
  it('with --seed leaves the account empty, and the next start begins again', async () => {
    const seed = files('many', { Aaa: line('a'), Pets: manyLines });
    const location = join(folder.path, 'killed-seed');
    for (const bytes of killsAtBytes) {
      await killWhileLoading(location, bytes, '--seed', seed);
      expect(await contentsAfter(location)).toEqual({});
    }
    expect(await contentsAfter(location, '--seed', seed)).toEqual({ Aaa: 1, Pets: 60_000 });
  });

  it('with --seed-always leaves all existing data', async () => {
    const location = join(folder.path, 'killed-always');
    const old = { Old: line('a') + line('b'), Pets: line('c') };
    expect(await contentsAfter(location, '--seed', files('old', old))).toEqual({ Old: 2, Pets: 1 });
    const seed = files('many', { Aaa: line('a'), Pets: manyLines });
    for (const bytes of killsAtBytes) {
      await killWhileLoading(location, bytes, '--seed-always', seed);
      expect(await contentsAfter(location)).toEqual({ Old: 2, Pets: 1 });
    }
    expect(await contentsAfter(location, '--seed-always', seed)).toEqual({ Aaa: 1, Pets: 60_000 });
  });
});

describe('a start with a seed that cannot be loaded', () => {
  const refusals: [string, string, RegExp][] = [
    ['a wrong line', `${line('a')}{"PartitionKey":"p"}\n`, /Pets\.ndjson:2: RowKey is missing/],
    ['a duplicate', line('a') + line('b') + line('a'), /Pets\.ndjson:3: .* occur twice/],
  ];

  it.each(refusals)('names %s in one line, exits with 2 and leaves no account', async (_, text, reason) => {
    for (const flag of ['--seed', '--seed-always']) {
      const location = join(folder.path, `refused${flag}`);
      const result = await runCommand(serverFlags(location, [flag, files('wrong', { Pets: text })]), { env: {} });
      expect(result).toMatchObject({ code: 2, stdout: '' });
      expect(result.stderr).toMatch(reason);
      expect(result.stderr.trim().split('\n')).toHaveLength(1);
      expect(existsSync(location) ? readdirSync(location) : []).toEqual([]);
    }
  });

  it('does not change an existing account', async () => {
    const location = join(folder.path, 'kept');
    await contentsAfter(location, '--seed', files('good', { Pets: line('a') }));
    const wrong = files('wrong', { Pets: `${line('x')}{}\n` });
    const { code, stderr } = await runCommand(serverFlags(location, ['--seed-always', wrong]), { env: {} });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('Pets.ndjson:2:') });
    expect(await contentsAfter(location)).toEqual({ Pets: 1 });
  });
});

it('gives notice of a seed that has no effect because another replaces everything', async () => {
  const { notices } = await readStart('--seed', 'one', '--seed-always', 'other');
  expect(notices).toEqual(['--seed has no effect with --seed-always.']);
});
