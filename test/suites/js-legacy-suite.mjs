import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkOut } from './check-out.mjs';
import { prepareWith, runTool } from './run-tool.mjs';
import { startPlainEndpoint } from './start-emulator.mjs';

const own = join(import.meta.dirname, 'js-legacy');
const cache = fileURLToPath(new URL('../../.cache/suites/js-legacy', import.meta.url));
const source = join(cache, 'source');
const tests = join(source, 'test/services/table');
const stampFile = join(cache, 'package-lock.sha256');
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** The table tests in the repository of azure-storage for JavaScript. This client is retired. */
export const jsLegacySuite = {
  title: 'azure-storage 2.10.7 for JavaScript (retired)',
  accountCount: 1,
  // The client's HTTP library, which is retired too, hangs behind the proxy of the production endpoint.
  start: startPlainEndpoint,

  async prepare() {
    await checkOut({
      repository: 'Azure/azure-storage-node',
      commit: '6873387fc65bad6d577babe278be2ee2e6071493',
      paths: ['/lib/', '/test/framework/', '/test/services/table/', '/package.json'],
      folder: source,
    });
    const lock = readFileSync(join(own, 'package-lock.json'));
    const stamp = createHash('sha256').update(lock).digest('hex');
    if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
    mkdirSync(cache, { recursive: true });
    for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(own, name), join(cache, name));
    await prepareWith(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: cache });
    writeFileSync(stampFile, stamp);
  },

  async run({ accounts: [{ name, key }], url, environment }, notRun) {
    const report = join(cache, 'outcomes.json');
    rmSync(report, { force: true });
    const connection = `AccountName=${name};AccountKey=${key};TableEndpoint=${url}/${name}`;
    const env = {
      ...environment,
      NOCK_OFF: 'true',
      AZURE_STORAGE_CONNECTION_STRING: `DefaultEndpointsProtocol=http;${connection}`,
    };
    const files = readdirSync(tests).filter((file) => file.endsWith('-tests.js'));
    const reporter = ['--reporter', 'json', '--reporter-option', `output=${report}`];
    const skip = notRun.length > 0 ? ['--grep', notRun.join('|'), '--invert'] : [];
    const args = ['node_modules/mocha/bin/mocha', '--no-timeouts', '--exit', ...reporter, ...skip];
    const paths = files.map((file) => join(tests, file));
    const { exitCode, output } = await runTool(process.execPath, [...args, ...paths], { cwd: cache, env });
    if (!existsSync(report)) throw new Error(`mocha ended with ${exitCode}\n${output}`);
    return readOutcomes(JSON.parse(readFileSync(report, 'utf8')));
  },
};

function readOutcomes({ passes, failures, pending }) {
  const outcomesOf = (tests, outcome) =>
    tests.map(({ fullTitle, err }) => ({ name: fullTitle, outcome, message: err?.stack ?? err?.message ?? '' }));
  return [...outcomesOf(passes, 'passed'), ...outcomesOf(failures, 'failed'), ...outcomesOf(pending, 'skipped')];
}
