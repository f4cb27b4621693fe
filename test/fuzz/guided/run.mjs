// Tests the code that reads the languages of clients, such as filters and JSON. Uses Jazzer.js to look for inputs that
// reach new parts of this code:
//   npm run fuzz:guided -- [--target NAME] [--seconds N]
// Jazzer.js stores what it has learnt, and the inputs that fail, in test/fuzz/guided/found.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
/** Where Jazzer.js begins, by the functions of readers.ts. */
const seeds = JSON.parse(readFileSync(here('seeds.json'), 'utf8'));
const jazzer = here('../node_modules/@jazzer.js/core/dist/cli.js');
const found = here('found');
const bundle = join(found, 'readers.cjs');
// What its addon is linked with.
const glibcMin = [2, 38];

function readArgs() {
  const usage = `usage: npm run fuzz:guided -- [--target ${Object.keys(seeds).join('|')}] [--seconds N]`;
  try {
    const { target, seconds } = parseArgs({
      options: { target: { type: 'string' }, seconds: { type: 'string', default: '60' } },
    }).values;
    if (/^[1-9]\d{0,5}$/.test(seconds) && (target === undefined || Object.hasOwn(seeds, target)))
      return { target, seconds };
  } catch {
    // The usage says it.
  }
  console.error(usage);
  process.exit(2);
}

/** Why Jazzer.js cannot run here, or nothing. */
function whyNot() {
  if (!existsSync(jazzer)) return 'Jazzer.js is not installed: npm --prefix test/fuzz ci';
  const { glibcVersionRuntime: version } = process.report.getReport().header;
  if (process.platform !== 'linux' || version === undefined) return undefined;
  const [major, minor] = version.split('.').map(Number);
  const isOld = major < glibcMin[0] || (major === glibcMin[0] && minor < glibcMin[1]);
  return isOld ? `Jazzer.js needs glibc ${glibcMin.join('.')}, and this system has ${version}` : undefined;
}

/** One CommonJS file, because Jazzer.js counts branches in what `require` loads. */
async function writeReaders() {
  const build = await rolldown({ input: here('readers.ts'), platform: 'node' });
  await build.write({ file: bundle, format: 'cjs' });
  await build.close();
}

/** Whether no input failed. */
function guide(target, seconds) {
  const corpus = join(found, target);
  mkdirSync(corpus, { recursive: true });
  for (const [at, text] of seeds[target].entries()) writeFileSync(join(corpus, `seed-${at}`), text);
  const failures = join(found, `${target}-`);
  const libFuzzer = [
    `-max_total_time=${seconds}`,
    '-timeout=10',
    `-artifact_prefix=${failures}`,
    '-print_final_stats=1',
  ];
  // Not a pipe: Jazzer.js loses what it writes to one that is full.
  const logFile = `${failures}log.txt`;
  const log = openSync(logFile, 'w');
  const { status } = spawnSync(
    process.execPath,
    [jazzer, bundle, '-f', target, '-i', 'readers.cjs', '--sync', corpus, '--', ...libFuzzer],
    { cwd: found, stdio: ['ignore', log, log] },
  );
  closeSync(log);
  const text = readFileSync(logFile, 'utf8');
  const runs = /number_of_executed_units: (\d+)/.exec(text)?.[1];
  const edges = [...text.matchAll(/ cov: (\d+)/g)].at(-1)?.[1];
  if (status === 0 && runs && edges) {
    console.log(`${target}: ${runs} runs, ${edges} branches, ${readdirSync(corpus).length} inputs kept`);
    return true;
  }
  console.log(`${target}:\n${text.split('\n').slice(-40).join('\n')}`);
  return false;
}

const { target, seconds } = readArgs();
const why = whyNot();
if (why) {
  console.log(`Guided fuzzing is skipped: ${why}.`);
} else {
  mkdirSync(found, { recursive: true });
  await writeReaders();
  const failed = Object.keys(seeds).filter((name) => (target ?? name) === name && !guide(name, seconds));
  if (failed.length > 0) {
    console.log(`failed: ${failed.join(', ')}; the inputs are in ${found}`);
    process.exitCode = 1;
  }
}
