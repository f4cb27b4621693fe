// Runs fuzz.test.ts for longer than in CI, and adds failed inputs to the corpus:
//   npm run fuzz -- [--cases N] [--seed S] [--target NAME]
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const usage = 'usage: npm run fuzz -- [--cases N] [--seed S] [--target NAME], with whole numbers';

function readArgs() {
  try {
    return parseArgs({
      options: { cases: { type: 'string', default: '300000' }, seed: { type: 'string' }, target: { type: 'string' } },
    }).values;
  } catch {
    return { cases: '' };
  }
}

const { cases, seed = String(Date.now() % 1_000_000_000), target } = readArgs();
if (![cases, seed].every((number) => /^\d{1,9}$/.test(number)) || Number(cases) === 0 || target === '') {
  console.error(usage);
  process.exit(2);
}
console.log(`seed ${seed}, ${cases} cases`);
const root = fileURLToPath(new URL('../..', import.meta.url));
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', 'test/fuzz/fuzz.test.ts', '--disable-console-intercept'],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      TANZANITE_FUZZ_CASES: cases,
      TANZANITE_FUZZ_KEEPS: '1',
      TANZANITE_TEST_SEED: seed,
      ...(target && { TANZANITE_FUZZ_TARGET: target }),
    },
  },
);
process.exitCode = status ?? 1;
