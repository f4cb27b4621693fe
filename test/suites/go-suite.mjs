import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MissingTool, prepareWith, runTool } from './run-tool.mjs';

const own = join(import.meta.dirname, 'go');
const cache = fileURLToPath(new URL('../../.cache/suites/go', import.meta.url));
const program = join(cache, 'aztables.test');
const module = 'github.com/Azure/azure-sdk-for-go/sdk/data/aztables';
const [, version] = new RegExp(`${module} v(\\S+)`).exec(readFileSync(join(own, 'go.mod'), 'utf8'));

// The tests wait up to two minutes for the service to apply a change. Several processes run tests at the same time,
// each with its own account, so that these waits overlap.
const processesMax = 8;

/** The tests in the module of aztables. They run in the live mode of their test helpers. */
export const goSuite = {
  title: `aztables ${version} for Go`,
  accountCount: processesMax,

  async prepare() {
    if (process.platform !== 'linux')
      throw new MissingTool('Go takes a certificate from the environment on Linux only');
    mkdirSync(cache, { recursive: true });
    // Read-only: a dependency that go.mod and go.sum do not pin is an error, and the files are not updated.
    await prepareWith('go', ['test', '-mod=readonly', '-c', '-o', program, module], { cwd: own });
  },

  async run({ accounts, environment }, notRun) {
    // -test.list ignores -test.skip, and a -test.skip with several levels does not apply to parent tests.
    const wholeTests = notRun.filter((pattern) => !pattern.includes('/'));
    const skip = `-test.skip=${notRun.filter((pattern) => pattern.includes('/')).join('|')}`;
    const envOf = ({ name, key }) => ({
      ...environment,
      AZURE_RECORD_MODE: 'live',
      // The recording proxy does not run, so it has no certificate. This variable names another certificate, because
      // the helpers look for a git repository if the variable is missing.
      PROXY_CERT: environment.SSL_CERT_FILE,
      TABLES_STORAGE_ACCOUNT_NAME: name,
      TABLES_PRIMARY_STORAGE_ACCOUNT_KEY: key,
      TABLES_COSMOS_ACCOUNT_NAME: name,
      TABLES_PRIMARY_COSMOS_ACCOUNT_KEY: key,
    });
    const list = await runTool(program, ['-test.list', '^Test'], { cwd: cache, env: envOf(accounts[0]) });
    const remaining = list.stdout.split('\n').filter((name) => /^Test/.test(name) && !wholeTests.includes(name));
    const outcomes = [];
    const runRemaining = async (account) => {
      for (let name = remaining.shift(); name !== undefined; name = remaining.shift()) {
        const args = ['tool', 'test2json', program, '-test.v=test2json', skip, `-test.run=^${name}$`];
        const { output } = await runTool('go', args, { cwd: cache, env: envOf(account) });
        outcomes.push(...readOutcomes(output, name));
      }
    };
    await Promise.all(accounts.map(runRemaining));
    return outcomes;
  },
};

/**
 * Returns the outcomes of a test and its subtests. If a test has subtests, only the subtests count. If the test fails
 * although none of its subtests fails, the test itself counts as a failure.
 */
function readOutcomes(output, test) {
  const events = output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  const outcomeOf = { pass: 'passed', fail: 'failed', skip: 'skipped' };
  const ended = events.filter(({ Test, Action }) => Test !== undefined && Action in outcomeOf);
  const messageOf = (name) =>
    events.flatMap(({ Test, Action, Output }) => (Test === name && Action === 'output' ? [Output] : [])).join('');
  const isParent = (name) => ended.some(({ Test }) => Test.startsWith(`${name}/`));
  const outcomes = ended
    .map(({ Test, Action }) => ({ name: Test, outcome: outcomeOf[Action], message: messageOf(Test) }))
    .filter(({ name }) => !isParent(name));
  const hasFailed = outcomes.some(({ outcome }) => outcome === 'failed');
  const end = events.findLast(({ Test, Action }) => Test === undefined && Action in outcomeOf);
  // After a panic, for example, the process ends without reporting the end of the test.
  if (end?.Action !== 'fail' && outcomes.length > 0) return outcomes;
  return hasFailed ? outcomes : [...outcomes, { name: test, outcome: 'failed', message: output }];
}
