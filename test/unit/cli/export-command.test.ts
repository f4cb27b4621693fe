import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../support/random.mjs';
import { runCommand } from '../../support/run-command.ts';
import { ServerProcess } from '../../support/server-process.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { testSeed } from '../../support/test-seed.ts';

const folder = temporaryFolder();
const server = new ServerProcess(['--tablePort', '0', '--inMemoryPersistence', '--silent']);
let url: string;
const options = () => ({ cwd: folder.path, env: { TANZANITE_URL: url } });
const run = (...words: string[]) => runCommand(words, options());

beforeAll(async () => {
  url = await server.ready();
});
afterAll(async () => {
  await server.end('SIGKILL');
  folder.remove();
});

const rows = (count: number, age: number): string =>
  Array.from(
    { length: count },
    (_, at) => `{"PartitionKey":"p","RowKey":"${String(at).padStart(6, '0')}","Age":${age}}\n`,
  ).join('');

function write(place: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(join(folder.path, place), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, place, name), text);
}

const textsIn = (place: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(join(folder.path, place)).map((name) => [name, readFileSync(join(folder.path, place, name), 'utf8')]),
  );

describe('export --clean', () => {
  it('names what it removes and what it leaves', async () => {
    write('one', { 'Pets.ndjson': rows(1, 5) });
    await run('seed', 'one');
    const foreign = { 'package.json': '{"name":"app"}', 'budget.csv': 'month,amount\n' };
    write('app', { ...foreign, 'Gone.ndjson': rows(1, 1), 'Empty.ndjson': '' });
    symlinkSync('absent', join(folder.path, 'app', 'Link.json'));
    const { code, stdout, stderr } = await run('export', 'app', '--clean');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `removed ${join('app', 'Empty.ndjson')}\nremoved ${join('app', 'Gone.ndjson')}\nPets: 1 entity\nexported 1 table, 1 entity\n`,
    });
    const kept = ['Link.json', 'budget.csv', 'package.json'];
    expect(stderr).toBe(
      kept.map((name) => `${join('app', name)} stays: it does not look like the file of an export\n`).join(''),
    );
    expect(readdirSync(join(folder.path, 'app')).sort()).toEqual([...kept, 'Pets.ndjson'].sort());
    write('app', { 'Gone.csv': 'PartitionKey,RowKey\r\np,r\r\n' });
    const { stdout: json } = await run('export', 'app', '--clean', '--json');
    expect(JSON.parse(json)).toEqual({
      tables: [{ name: 'Pets', entities: 1 }],
      obsolete: kept.map((name) => join('app', name)),
      removed: [join('app', 'Gone.csv')],
    });
  });

  it('ends with 2 and changes nothing if it would replace the file of another program', async () => {
    write('two', { 'package.json': `[${rows(1, 5).trim()}]` });
    await run('seed', join('two', 'package.json'));
    write('web', { 'package.json': '{"name":"app"}' });
    expect(await run('export', 'web', '--table', 'package', '--format', 'json')).toEqual({
      code: 2,
      stdout: '',
      stderr: `tanzanite: ${join('web', 'package.json')} was not written by an export: move it, or export into another folder (no file was changed).\n`,
    });
    expect(textsIn('web')).toEqual({ 'package.json': '{"name":"app"}' });
  });
});

describe('Exports of several processes into one folder', () => {
  const tables = ['Large', 'Other'];
  const words = ['export', 'shared', '--json', ...tables.flatMap((name) => ['--table', name])];
  const filesOf = (age: number): Record<string, string> =>
    Object.fromEntries(tables.map((name) => [`${name}.ndjson`, rows(20_000, age)]));

  /** Resolves when the draft files contain this many bytes, or when the process has ended. */
  async function draftsReach(bytes: number, ended: Promise<unknown>): Promise<void> {
    let isEnded = false;
    ended.then(() => {
      isEnded = true;
    });
    const place = join(folder.path, 'shared');
    const sizeOf = (name: string): number => statSync(join(place, name), { throwIfNoEntry: false })?.size ?? 0;
    for (let size = -1; size < bytes && !isEnded; await setImmediate()) {
      const drafts = readdirSync(place).filter((name) => name.endsWith('.part'));
      if (drafts.length > 0) size = drafts.map(sizeOf).reduce((sum, one) => sum + one, 0);
    }
  }

  it(`that are killed leave only complete files, and the next one removes their leftovers (seed ${testSeed})`, async () => {
    const random = new Random(testSeed);
    const [before, after] = [filesOf(1), filesOf(2)];
    write('fill', after);
    await run('seed', 'fill');
    const bytes = Object.values(after).reduce((sum, text) => sum + text.length, 0);
    let killed = 0;
    for (let round = 0; round < 5; round++) {
      write('shared', before);
      const exporting = new ServerProcess(words, options());
      const ended = exporting.ended();
      await draftsReach(random.integer(0, bytes), ended);
      exporting.kill('SIGKILL');
      if ((await ended).signal === 'SIGKILL') killed += 1;
      const files = textsIn('shared');
      for (const name of Object.keys(before)) expect([before[name], after[name]]).toContain(files[name]);
    }
    expect(killed).toBeGreaterThan(0);
    expect(await run(...words)).toMatchObject({ code: 0, stderr: '' });
    expect(textsIn('shared')).toEqual(after);
  });

  it('that run at the same time all succeed', async () => {
    const results = await Promise.all([run(...words), run(...words), run(...words)]);
    for (const result of results) expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(textsIn('shared')).toEqual(filesOf(2));
  });
});
