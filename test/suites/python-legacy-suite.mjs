import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkOut } from './check-out.mjs';
import { runPytest } from './python-suite.mjs';
import { prepareWith } from './run-tool.mjs';

const own = join(import.meta.dirname, 'python-legacy');
const cache = fileURLToPath(new URL('../../.cache/suites/python-legacy', import.meta.url));
const environment = join(cache, 'venv');
const python = join(environment, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
const source = join(cache, 'source');
const suite = join(source, 'azure-cosmosdb-table');
const requirements = join(own, 'requirements.txt');
const stampFile = join(cache, 'requirements.sha256');
const [, version] = /^azure-cosmosdb-table==(\S+)$/m.exec(readFileSync(requirements, 'utf8'));

/** The tests in the repository of azure-cosmosdb-table for Python, in their live mode. This client is retired. */
export const pythonLegacySuite = {
  title: `azure-cosmosdb-table ${version} for Python (retired)`,
  accountCount: 1,

  async prepare() {
    await checkOut({
      repository: 'Azure/azure-cosmosdb-python',
      commit: '25e99050f93b1f76f19bbd2534502955d0247aac',
      // The recordings are not needed. The package's source is left out, because it would hide the released package.
      paths: ['/azure-cosmosdb-table/tests/*', '!/azure-cosmosdb-table/tests/recordings/'],
      folder: source,
    });
    copyFileSync(join(own, 'settings_real.py'), join(suite, 'tests/settings_real.py'));
    const stamp = createHash('sha256').update(readFileSync(requirements)).digest('hex');
    if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
    rmSync(environment, { recursive: true, force: true });
    mkdirSync(cache, { recursive: true });
    await prepareWith('python3', ['-m', 'venv', environment]);
    await prepareWith(python, ['-m', 'pip', 'install', '--quiet', '-r', requirements]);
    writeFileSync(stampFile, stamp);
  },

  run({ accounts: [{ name, key }], environment }, notRun) {
    const env = { ...environment, SUITE_ACCOUNT: name, SUITE_KEY: key };
    const skipped = notRun.map((test) => `--deselect=${test}`);
    return runPytest({ python, cwd: suite, env, report: join(cache, 'outcomes.jsonl') }, ['tests/table', ...skipped]);
  },
};
