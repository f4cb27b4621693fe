import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChaosRun, renderChaosJunit } from '../../../src/cli/chaos-report.ts';
import { failures } from '../../../src/faults/failures.ts';
import { parseRule } from '../../../src/faults/parse-rule.ts';
import { recipes } from '../../../src/faults/recipes.ts';
import { type CommandResult, runCommand } from '../../support/run-command.ts';
import { ServerProcess } from '../../support/server-process.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const node = process.execPath;
let folder: { path: string; remove(): void };

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

/** Runs a Node program in which `table` is a client. */
function chaosWithSdk(program: string, flags: readonly string[]): Promise<CommandResult> {
  const prepared = `
    import { TableClient } from '@azure/data-tables';
    const options = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };
    const table = TableClient.fromConnectionString(process.env.AZURE_STORAGE_CONNECTION_STRING, 'Pets', options);
    await table.createTable();
    ${program}`;
  return runCommand(['chaos', ...flags, '--', node, '--input-type=module', '-e', prepared], { cwd: root });
}

const upsert = `await table.upsertEntity({ partitionKey: 'a', rowKey: '1' });`;

describe('a recipe', () => {
  it('exists for each failure, under its name', () => {
    expect(recipes.map(({ name }) => name)).toEqual(failures.map(({ name }) => name));
  });

  it.each(recipes)('has rules that the emulator accepts, some named like the recipe: $name', ({ name, rules }) => {
    for (const rule of rules) expect(parseRule(rule)).toEqual(rule);
    expect(rules.filter((rule) => rule.name === name).length).toBeGreaterThan(0);
  });
});

describe('chaos', () => {
  it('runs the command without a failure and then once for each failure, and says what it survives', async () => {
    const { code, stdout, stderr } = await chaosWithSdk(upsert, [
      '--only',
      'server-error,slow',
      '--only',
      'empty-page',
    ]);
    expect([code, stderr]).toEqual([1, '']);
    const rows = stdout.split('\n').map((line) => line.split(/ {2,}/).map((cell) => cell.trim()));
    const time = expect.stringMatching(/^\d+\.\d s$/);
    expect(rows.slice(0, 5)).toEqual([
      ['failure', 'exit code', 'time', 'struck', 'result'],
      ['no-failure', '0', time, 'passed'],
      ['server-error', '1', time, '1', 'failed'],
      ['empty-page', '0', time, '0', 'not met'],
      ['slow', '0', time, '1', 'survived'],
    ]);
    expect(stdout).toContain('\nserver-error          failed: does the program try again?\n');
    expect(stdout).toContain(
      '\nempty-page            not met: this failure needs a query of entities, but the command sends no such request',
    );
  });

  it('prints with --json the result for a program', async () => {
    const { code, stdout, stderr } = await chaosWithSdk(upsert, ['--json', '--only', 'slow']);
    expect([code, stderr]).toEqual([0, '']);
    const ms = expect.any(Number);
    expect(JSON.parse(stdout)).toEqual({ failures: [{ name: 'slow', exitCode: 0, ms, struck: 1 }] });
  });

  it('counts struck requests even if the command removes all rules, as test helpers do', async () => {
    const program = `
      await table.upsertEntity({ partitionKey: 'a', rowKey: '1' }).catch(() => undefined);
      await fetch(process.env.TANZANITE_URL + '/_emulator/reset', {
        method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"faults":true}',
      });`;
    const { stdout } = await chaosWithSdk(program, ['--json', '--only', 'server-error']);
    expect(JSON.parse(stdout).failures).toMatchObject([{ exitCode: 0, struck: 1 }]);
  });

  it('gives each run its own emulator, with the environment of exec', async () => {
    const program = `
      if (process.env.Mine !== process.env.AzureWebJobsStorage) process.exit(9);
      await table.createEntity({ partitionKey: 'a', rowKey: '1' });`;
    const flags = ['--json', '--env', 'Mine', '--only', 'empty-page,signature-expired'];
    const { code, stdout } = await chaosWithSdk(program, flags);
    const { failures } = JSON.parse(stdout) as { failures: { exitCode: number; struck: number }[] };
    expect([code, failures.map(({ exitCode, struck }) => [exitCode, struck])]).toEqual([
      0,
      [
        [0, 0],
        [0, 0],
      ],
    ]);
  });

  it('keeps the output of each run with --out, and writes JUnit', async () => {
    const out = join(folder.path, 'a', 'b');
    const junit = join(folder.path, 'chaos.xml');
    const program = `console.log('to output'); console.error('to errors'); ${upsert}`;
    const flags = ['--out', out, '--junit', junit, '--only', 'server-error,empty-page'];
    const { code } = await chaosWithSdk(program, flags);
    expect(code).toBe(1);
    expect(readdirSync(out).sort()).toEqual(['empty-page.log', 'no-failure.log', 'server-error.log']);
    expect(readFileSync(join(out, 'no-failure.log'), 'utf8')).toBe('to output\nto errors\n');
    expect(readFileSync(join(out, 'server-error.log'), 'utf8')).toContain('InternalError');
    const xml = readFileSync(junit, 'utf8');
    expect(xml).toMatch(
      /<testsuite name="tanzanite.chaos" tests="3" failures="1" errors="0" skipped="1" time="[\d.]+">/,
    );
    expect(xml).toMatch(
      /<testcase name="server-error" [^>]*><failure message="exit code 1">failed, 1 struck: does the program/,
    );
    expect(xml).toMatch(/<testcase name="empty-page" [^>]*><skipped message="not met, [^"]+"><\/skipped><\/testcase>/);
  });

  it('says that a command fails even without a failure, and continues', async () => {
    const words = ['chaos', '--json', '--only', 'busy', '--', node, '-e', 'process.exit(3)'];
    const { code, stdout, stderr } = await runCommand(words, { cwd: folder.path });
    expect([code, stderr]).toEqual([1, expect.stringContaining('also fails without a fault (exit code 3)')]);
    const { failures } = JSON.parse(stdout) as { failures: object[] };
    expect(failures).toEqual([{ name: 'busy', exitCode: 3, ms: expect.any(Number), struck: 0 }]);
  });

  it('ends a run that takes longer than --timeout, and counts it as failed', async () => {
    const program = `process.on('SIGTERM', () => process.exit(0)); setInterval(() => undefined, 1000);`;
    const words = ['chaos', '--json', '--timeout', '1s', '--only', 'busy', '--', node, '-e', program];
    const { code, stdout } = await runCommand(words, { cwd: folder.path });
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { failures: [{ exitCode: 124 }] }]);
  });

  it.skipIf(process.platform === 'win32')('ends with the run that a signal ends', async () => {
    const program = `require('node:fs').writeFileSync('runs', ''); setInterval(() => undefined, 1000);`;
    const command = new ServerProcess(['chaos', '--', node, '-e', program], { cwd: folder.path });
    await expect.poll(() => existsSync(join(folder.path, 'runs'))).toBe(true);
    expect(await command.end('SIGINT')).toEqual({ code: 130, signal: null });
    expect(command.stdout).toBe('');
  });
});

describe('chaos is refused with code 2, and runs nothing', () => {
  it.each([
    ['without a command', [], 'chaos needs a <command>.'],
    ['for an unknown failure', ['--only', 'busy,bussy', '--'], '--only: there is no failure bussy; did you mean busy?'],
    ['for an empty list', ['--only', '', '--'], '--only: there is no failure without a name'],
    ['for no time', ['--timeout', '0', '--'], '--timeout must be a time from 1ms to 24h'],
    ['for a time in words', ['--timeout', 'soon', '--'], '--timeout must be a time from 1ms to 24h'],
    ['for a folder that is a file', ['--out', 'file', '--'], 'file cannot be written: file is a file, not a folder'],
    ['for a folder in the place of the output of a run', ['--out', '.', '--'], 'busy.log cannot be written'],
    ['for a file in no folder', ['--junit', 'absent/chaos.xml', '--'], 'absent/chaos.xml cannot be written'],
    ['for a folder of seeds that is absent', ['--seed', 'absent', '--'], 'absent'],
    ['for a variable with a value', ['--env', 'A=1', '--'], '--env must be the name of a variable'],
  ])('%s', async (_case, flags: string[], message) => {
    const program = `require('node:fs').writeFileSync('ran', '')`;
    const words = flags.length === 0 ? [] : [...flags, node, '-e', program];
    writeFileSync(join(folder.path, 'file'), '');
    mkdirSync(join(folder.path, 'busy.log'), { recursive: true });
    const { code, stdout, stderr } = await runCommand(['chaos', ...words], { cwd: folder.path });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(existsSync(join(folder.path, 'ran'))).toBe(false);
  });
});

it('a run that failed without meeting its failure is a failure in JUnit', () => {
  const run: ChaosRun = { recipe: recipes[0]!, exitCode: 4, ms: 1_500, struck: 0, isTimedOut: false };
  expect(renderChaosJunit([run])).toContain('failures="1" errors="0" skipped="0" time="1.500"');
});
