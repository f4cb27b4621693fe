// Tests the verdicts of `tanzanite chaos`. A program that handles a failure of the service must pass, and a program
// that does not handle the failure must be caught.
import { describe, expect, it } from 'vitest';
import { failures } from '../../../src/faults/failures.ts';
import { runCommand } from '../../support/run-command.ts';

interface Report {
  readonly failures: readonly { name: string; exitCode: number; ms: number; struck: number }[];
}

const right = [
  'busy/sdk',
  'busy/backs-off',
  'server-error/tries-again',
  'timeout-before-commit/tries-again',
  'timeout-after-commit/looks-whether-it-is-there',
  'reset-after-commit/etag-and-id',
  'batch-reply-lost/upserts',
  'empty-page/to-the-end',
  'expired-continuation/goes-on-after-the-last-key',
  'signature-expired/renews',
  'slow/waits',
  'hang/gives-up-and-tries-again',
  'cut-response/reads-again',
];

const wrong = [
  'busy/no-retry',
  'busy/immediate-retry',
  'server-error/only-after-503',
  'timeout-before-commit/takes-it-for-done',
  'timeout-after-commit/takes-409-for-a-failure',
  'timeout-after-commit/inserts-with-a-new-key',
  'reset-after-commit/blind-counter',
  'batch-reply-lost/inserts',
  'empty-page/until-a-page-is-empty',
  'empty-page/until-a-page-is-short',
  'expired-continuation/fails',
  'expired-continuation/begins-again-and-counts-twice',
  'signature-expired/keeps-it',
  'slow/two-seconds',
  'hang/waits',
  'cut-response/reads-once',
];

const recipeOf = (program: string): string => program.split('/')[0] ?? '';

async function runUnderChaos(program: string): Promise<Report['failures'][number] & { code: number | null }> {
  const name = recipeOf(program);
  const timeout = name === 'hang' ? '20s' : '2m';
  const words = [
    'chaos',
    '--json',
    '--only',
    name,
    '--timeout',
    timeout,
    '--',
    process.execPath,
    'programs.mjs',
    program,
  ];
  const { code, stdout, stderr } = await runCommand(words, { cwd: import.meta.dirname });
  expect(stderr, 'without the failure the program ends with 0').toBe('');
  const [failure] = (JSON.parse(stdout) as Report).failures;
  expect(failure).toEqual({
    name,
    exitCode: expect.any(Number),
    ms: expect.any(Number),
    struck: expect.any(Number),
  });
  return { ...failure!, code };
}

it('has a right and a wrong program for each failure', () => {
  const names = new Set(failures.map(({ name }) => name));
  expect(new Set(right.map(recipeOf))).toEqual(names);
  expect(new Set(wrong.map(recipeOf))).toEqual(names);
});

describe.concurrent('a program that handles a failure', () => {
  it.each(right)('survives the failure: %s', async (program) => {
    const { code, exitCode, struck } = await runUnderChaos(program);
    expect([code, exitCode]).toEqual([0, 0]);
    expect(struck).toBeGreaterThan(0);
  });
});

describe.concurrent('a program that handles every failure', () => {
  // `slow` is left out, because it makes each operation take three seconds. To run the program by hand, with `slow`:
  //   tanzanite chaos -- node programs.mjs everything
  const names = failures.map(({ name }) => name).filter((name) => name !== 'slow');

  it('survives all of them', { timeout: 240_000 }, async () => {
    const words = ['chaos', '--json', '--only', names.join(), '--', process.execPath, 'programs.mjs', 'everything'];
    const { code, stdout, stderr } = await runCommand(words, { cwd: import.meta.dirname });
    const report = JSON.parse(stdout) as Report;
    expect([code, stderr], stdout).toEqual([0, '']);
    expect(report.failures.map(({ name }) => name)).toEqual(names);
    expect(report.failures.filter(({ struck }) => struck === 0)).toEqual([]);
  });
});

describe.concurrent('a program that does not handle a failure', () => {
  it.each(wrong)('is caught by the failure: %s', async (program) => {
    const { code, exitCode, struck } = await runUnderChaos(program);
    expect(code).toBe(1);
    expect(exitCode).not.toBe(0);
    expect(struck).toBeGreaterThan(0);
  });
});
