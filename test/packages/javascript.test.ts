// The runners run tests that fail on purpose. These tests read the reports that people would see.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const folder = 'test/packages/javascript';

/** Runs a command without the environment variables of this run. */
function run(...words: string[]): string {
  const env = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|NODE_TEST_CONTEXT|NODE_OPTIONS|TEST$)/.test(name),
  );
  const { status, stdout, stderr, error } = spawnSync(process.execPath, words, {
    cwd: root,
    env: { ...Object.fromEntries(env), NO_COLOR: '1' },
    encoding: 'utf8',
  });
  expect(status, `${error ?? ''}${stdout}${stderr}`).toBe(1);
  return stdout + stderr;
}

const nodeTest = (reporter: string) => ['--test', `--test-reporter=${reporter}`, `${folder}/fails.node.mjs`];

const runs = [
  {
    title: 'Vitest',
    words: [vitest, 'run', '--root', folder],
    counts: '2 failed | 1 passed',
  },
  { title: 'node:test', words: nodeTest('spec'), counts: 'ℹ fail 2' },
  { title: 'node:test in TAP', words: nodeTest('tap'), counts: '# fail 2' },
];

describe('The report of a failed test', () => {
  it.each(runs)('names the refused requests, under $title', ({ words, counts }) => {
    const report = run(...words);
    expect(report).toContain(counts);
    // One error was thrown by a client, whose error prints itself, and the other by the test.
    expect(report).toMatch(
      /tanzanite refused requests of this test:\n\s*400 OutOfRangeInput InsertEntity pets: RowKey "a\/b" holds "\/"/,
    );
    expect(report).toMatch(
      /mine\n\s*\n\s*tanzanite refused requests of this test:\n\s*503 ServerBusy DeleteTable cats \(staged by the fault "busy", error\)/,
    );
  });
});
