// Runs the test suites of SDKs against the built command. README.md in this folder describes the suites.
//   node test/suites/run.mjs [--require] [SUITE…]
// A failed test counts as a failure unless expected-failures.json lists it. A listed test that passes counts as a
// failure too. Without --require, a suite that cannot be installed is skipped. With --require, such a suite counts as a
// failure.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareOutcomes } from './compare-outcomes.mjs';
import { goSuite } from './go-suite.mjs';
import { javaLegacySuite } from './java-legacy-suite.mjs';
import { jsLegacySuite } from './js-legacy-suite.mjs';
import { startProductionEndpoint } from './production-endpoint.mjs';
import { pythonLegacySuite } from './python-legacy-suite.mjs';
import { pythonSuite } from './python-suite.mjs';
import { rubyLegacySuite } from './ruby-legacy-suite.mjs';
import { MissingTool, prepareWith } from './run-tool.mjs';

const suites = {
  python: pythonSuite,
  go: goSuite,
  'js-legacy': jsLegacySuite,
  'python-legacy': pythonLegacySuite,
  'ruby-legacy': rubyLegacySuite,
  'java-legacy': javaLegacySuite,
};
const { values, positionals } = parseArgs({ options: { require: { type: 'boolean' } }, allowPositionals: true });
const chosen = positionals.length > 0 ? positionals : Object.keys(suites);
const unknown = chosen.filter((name) => !(name in suites));
if (unknown.length > 0) {
  console.error(`unknown suite ${unknown.join(', ')} (there are ${Object.keys(suites).join(', ')})`);
  process.exit(2);
}
const expectations = JSON.parse(readFileSync(join(import.meta.dirname, 'expected-failures.json'), 'utf8'));

const comparisons = await Promise.all(chosen.map((name) => runSuite(suites[name], expectations[name])));
const ran = comparisons.filter((comparison) => comparison !== undefined);
const sum = (count) => ran.reduce((total, comparison) => total + count(comparison), 0);
const failed = sum(({ unexpected, outdated }) => unexpected.length + outdated.length);
console.log(`${sum(({ passed }) => passed)} passed, ${failed} failed`);
process.exitCode = failed > 0 || (values.require && ran.length < chosen.length) ? 1 : 0;

/** Runs one suite, prints its result and returns it. Returns undefined if the suite cannot run on this machine. */
async function runSuite(suite, { notRun, failures }) {
  try {
    await prepareWith('openssl', ['version']);
    await suite.prepare();
  } catch (error) {
    if (!(error instanceof MissingTool)) throw error;
    console.log(`${suite.title}: skipped, ${error.message}`);
    return undefined;
  }
  const started = Date.now();
  const endpoint = await (suite.start ?? startProductionEndpoint)(suite.accountCount);
  try {
    const outcomes = await suite.run(endpoint, Object.keys(notRun));
    const comparison = compareOutcomes(outcomes, failures);
    print(suite.title, comparison, { notRun, seconds: Math.round((Date.now() - started) / 1000) });
    return comparison;
  } finally {
    await endpoint.stop();
  }
}

function print(title, { passed, failed, skipped, expected, unexpected, outdated }, { notRun, seconds }) {
  const counts = `${passed} passed, ${failed.length} failed (${expected.length} as expected), ${skipped.length} skipped`;
  console.log(`\n${title}: ${counts}, ${seconds} s`);
  for (const [pattern, reason] of Object.entries(notRun)) console.log(`  not run   ${pattern}: ${reason}`);
  for (const { name, message } of skipped) console.log(`  skipped   ${name}: ${message}`);
  for (const { name, reason } of expected) console.log(`  expected  ${name}: ${reason}`);
  for (const { name, message } of unexpected) console.log(`  FAILED    ${name}\n${indented(message)}`);
  for (const { name, state } of outdated) console.log(`  OUTDATED  ${name}: listed as an expected failure, ${state}`);
}

function indented(text) {
  return text.trimEnd().replace(/^/gm, '            ');
}
