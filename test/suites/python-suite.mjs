import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MissingTool, prepareWith, runTool } from './run-tool.mjs';

const own = join(import.meta.dirname, 'python');
const cache = fileURLToPath(new URL('../../.cache/suites/python', import.meta.url));
const environment = join(cache, 'venv');
const python = join(environment, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
const stampFile = join(cache, 'requirements.sha256');
const requirements = join(own, 'requirements.txt');
const [, version] = /^azure-data-tables==(\S+)$/m.exec(readFileSync(requirements, 'utf8'));
const distribution = `azure_data_tables-${version}`;
const tests = join(cache, distribution, 'tests');

/**
 * The tests in the source distribution of azure-data-tables. The distribution lacks some modules that the tests need,
 * so python/ contains replacements for these modules.
 */
export const pythonSuite = {
  title: `azure-data-tables ${version} for Python`,
  accountCount: 1,

  async prepare() {
    const stamp = createHash('sha256').update(readFileSync(requirements)).digest('hex');
    if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
    rmSync(cache, { recursive: true, force: true });
    mkdirSync(cache, { recursive: true });
    await prepareWith('python3', ['-m', 'venv', environment]);
    await prepareWith(python, ['-m', 'pip', 'install', '--quiet', '-r', requirements]);
    const source = ['--no-deps', '--no-binary', 'azure-data-tables', `azure-data-tables==${version}`];
    await prepareWith(python, ['-m', 'pip', 'download', '--quiet', '--dest', cache, ...source]);
    await prepareWith(python, ['-m', 'tarfile', '--extract', join(cache, `${distribution}.tar.gz`), cache]);
    if (!existsSync(tests)) throw new MissingTool(`${distribution}.tar.gz holds no tests`);
    writeFileSync(stampFile, stamp);
  },

  run({ accounts: [account], environment: inherited }, notRun) {
    const env = {
      ...inherited,
      TABLES_STORAGE_ACCOUNT_NAME: account.name,
      TABLES_PRIMARY_STORAGE_ACCOUNT_KEY: account.key,
      // With this value, the tests use only credentials from the environment, and no credentials of the machine. The
      // environment names the emulator's issuer.
      AZURE_TOKEN_CREDENTIALS: 'prod',
    };
    const ignored = notRun.map((pattern) => `--ignore-glob=${pattern}`);
    const report = join(cache, 'outcomes.jsonl');
    return runPytest({ python, cwd: tests, env, report }, ['-o', 'asyncio_mode=auto', ...ignored]);
  },
};

/** Runs pytest with a plugin that writes the outcome of each test into a file. Returns the outcomes. */
export async function runPytest({ python, cwd, env, report }, options) {
  writeFileSync(report, '');
  const args = ['-m', 'pytest', '-p', 'live_run', '-p', 'no:cacheprovider', '--quiet', ...options];
  const { exitCode, output } = await runTool(python, args, {
    cwd,
    env: { ...env, PYTHONPATH: own, PYTHONDONTWRITEBYTECODE: '1', SUITE_REPORT: report },
  });
  const outcomes = readFileSync(report, 'utf8')
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  // 0 means that all tests passed, 1 that some failed. Any other code is an error of the run itself.
  if (exitCode > 1 || outcomes.length === 0) throw new Error(`pytest ended with ${exitCode}\n${output}`);
  return outcomes;
}
