// Writes docs/durability.md from the rows in test/durability, runs the test of each row, or shows that each test can
// fail.
//   node scripts/durability.mjs [--print]      writes the page; with --print, prints the page instead
//   npm run durability [-- TEXT…]              runs the test of each row; with TEXT, runs a test only if its row
//                                              contains one of the texts
//   npm run durability -- --take-out [TEXT…]   for each failure, copies the source without the code that handles the
//                                              failure, and checks that the test of the failure fails in the copy
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const page = 'docs/durability.md';
const words = process.argv.slice(2);
const given = words.filter((word) => !word.startsWith('--'));

const { durabilityRows: rows } = await load('rows');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { longRuns } = await load('long-runs');
const effects = rows.flatMap(({ fails, files, database }) => [
  ...(files ? [{ fails, over: 'SQLite', ...files }] : []),
  ...(database ? [{ fails, over: 'PostgreSQL', ...database }] : []),
]);
for (const { shown } of effects) check(shown);
const asked = effects.filter(
  ({ fails, over }) => given.length === 0 || given.some((text) => `${over}: ${fails}`.includes(text)),
);

if (words.includes('--take-out')) process.exitCode = inCopy((copy) => asked.map((effect) => takeOut(effect, copy)));
else if (words.includes('--run')) process.exitCode = summed(asked.map((effect) => runTest(effect)));
else if (words.includes('--print')) process.stdout.write(renderPage());
else writeFileSync(join(root, page), renderPage());

/** Bundles a module of test/durability to JavaScript, because Node 20 cannot import TypeScript. */
async function load(name) {
  const build = await rolldown({ cwd: root, input: `test/durability/${name}.ts` });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  return import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
}

/**
 * Checks that the test exists, and that the source text to be removed occurs exactly once in its file. Throws if not.
 */
function check({ file, title, without }) {
  if (!readFileSync(join(root, file), 'utf8').includes(title)) throw new Error(`${file} has no test "${title}"`);
  const count = readFileSync(join(root, 'src', without.file), 'utf8').split(without.text).length - 1;
  if (count !== 1) throw new Error(`src/${without.file} has ${count} times: ${without.text}`);
}

function renderPage() {
  return `# Durability

This page describes how the emulator keeps data between runs, and what survives a crash. For each failure, it lists what a client sees and which data
is lost. The data is in \`./tanzanite-data\`, or in the folder of \`--location\`. An acknowledged write survives \`kill -9\`. With \`--durability power\`, the
write also survives a loss of power:

\`\`\`sh
npx --no tanzanite start --location ./data --durability power
\`\`\`

In a [container](../docker/README.md), mount a volume at \`/data\`. If you use \`exec\`, \`--inMemoryPersistence\`, or
[the library](library.md#options) without a \`location\`, the emulator keeps everything in memory.

| \`--durability\` | an acknowledged write survives | how |
| --- | --- | --- |
| \`process\` (default) | the end of the process, including \`kill -9\` | the write goes to the operating system before the response |
| \`power\` | a loss of power too, if the disk honours sync | the write is synced before the response; writes that arrive together share a sync |
| \`none\` | no guarantee | the write is never synced |

You can change \`--durability\` at any start, because it does not affect the format of the files. A write is acknowledged when the client has received a
response that reports success. [Operations](operations.md) describes backups, and what to do if the disk is full. [Beyond one machine](scale-out.md)
describes the use of PostgreSQL.

Each row of the first two tables below has a test that injects the failure. The last column quotes a part of the test's title. In a clone, the first
command runs all these tests. The second command shows that each test can fail. For each test, the command removes the code that handles the failure,
and the test must then fail:

<!-- not run: it takes as long as the tests of all rows -->
\`\`\`sh
npm run durability
npm run durability -- --take-out
\`\`\`

\`node scripts/durability.mjs\` generates this page from \`test/durability\`. A test of the repository fails if the page is out of date. Some tests need
PostgreSQL, and some need Linux and a C compiler. Tests whose requirements are missing are skipped, and a line says so.

## Over files

${table((row) => row.files)}

## Over PostgreSQL

The settings of PostgreSQL decide which failures a committed write survives. PostgreSQL itself handles disk failures, power failures and damaged
pages. The table shows how the nodes behave when the database fails.

${table((row) => row.database)}

## Longer runs

\`npm test\` runs each of these tests for only a few seconds. The table shows longer runs of version ${version}, which were started by hand. The machine had
2 cores and also did other work:

| command | what it tries | result | date |
| --- | --- | --- | --- |
${longRuns.map(({ command, what, result, date }) => `| \`${command}\` | ${what} | ${result} | ${date} |`).join('\n')}

![Memory, handles, files, write-ahead log and latency in thirty minutes of mixed load](endurance.svg)
`;
}

function table(effectOf) {
  const lines = rows.flatMap((row) => {
    const effect = effectOf(row);
    if (effect === undefined) return [];
    const { client, lost, shown } = effect;
    return [`| ${row.fails} | ${client} | ${lost} | … ${shown.title} (\`${shown.file.slice(5)}\`) |`];
  });
  return ['| what fails | what a client sees | what is lost | shown by |', '| --- | --- | --- | --- |', ...lines].join(
    '\n',
  );
}

/** Runs a test in a folder. Returns how many tests with its name passed and failed. */
function runVitest({ file, title }, folder) {
  const report = join(mkdtempSync(join(tmpdir(), 'durability-')), 'report.json');
  const name = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const args = ['run', file, '-t', name, '--reporter', 'json', '--outputFile', report];
  spawnSync(process.execPath, [join(folder, 'node_modules/vitest/vitest.mjs'), ...args], {
    env: { TANZANITE_TEST_SEED: '1', ...process.env },
    cwd: folder,
    stdio: 'ignore',
  });
  if (!existsSync(report)) return { passed: 0, failed: 0 };
  const { numPassedTests: passed, numFailedTests: failed } = JSON.parse(readFileSync(report, 'utf8'));
  rmSync(join(report, '..'), { recursive: true });
  return { passed, failed };
}

function runTest({ fails, over, shown }) {
  const { passed, failed } = runVitest(shown, root);
  const isFine = failed === 0;
  say({ fails, over, verdict: isFine ? (passed > 0 ? 'holds' : 'skipped on this machine') : 'DOES NOT HOLD' });
  return isFine;
}

function takeOut({ fails, over, shown }, copy) {
  const { file, text, by } = shown.without;
  const path = join(copy, 'src', file);
  const whole = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    whole.replace(text, () => by),
  );
  const { passed, failed } = runVitest(shown, copy);
  writeFileSync(path, whole);
  const isSkipped = passed + failed === 0;
  const verdict = isSkipped
    ? 'skipped on this machine'
    : failed > 0
      ? 'fails without the handling'
      : 'PASSES WITHOUT IT';
  say({ fails, over, verdict });
  return isSkipped || failed > 0;
}

function say({ fails, over, verdict }) {
  process.stdout.write(`${verdict.padEnd(28)} ${over.padEnd(11)} ${fails}\n`);
}

/** Copies the source, with a link to the installed packages. */
function inCopy(run) {
  const copy = mkdtempSync(join(tmpdir(), 'durability-copy-'));
  try {
    const left = /^(node_modules|\.git|dist|\.dist-\d+|\.measure-.*)$/;
    cpSync(root, copy, { recursive: true, filter: (path) => !left.test(path.slice(root.length + 1)) });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    return summed(run(copy));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function summed(verdicts) {
  if (verdicts.length === 0) process.stdout.write(`no row holds ${JSON.stringify(given)}\n`);
  return verdicts.length > 0 && verdicts.every(Boolean) ? 0 : 1;
}
