// azure-data-tables for Python with azure-core-tracing-opentelemetry, unmodified, at the versions that
// python/requirements.txt pins.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { isInstalled, runTool } from '../../support/run-checks.ts';
import { expectOneTrace, runTraced, type TracedRun } from './caller-spans.ts';

const folder = join(import.meta.dirname, 'python');
const environment = join(folder, '.venv');
const python = join(environment, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
const stampFile = join(environment, 'requirements.sha256');
const title = 'The trace of a program with azure-data-tables for Python';

/**
 * Makes a new virtual environment only if requirements.txt has changed since the last time. Returns why it cannot, or
 * ''.
 */
async function prepare(): Promise<string> {
  if (!isInstalled(['python3', '--version'])) return ': skipped, python3 is not installed';
  const stamp = createHash('sha256')
    .update(await readFile(join(folder, 'requirements.txt')))
    .digest('hex');
  if ((await readFile(stampFile, 'utf8').catch(() => '')) === stamp) return '';
  try {
    await runTool({ command: 'python3', args: ['-m', 'venv', '--clear', environment], cwd: folder });
    const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt'];
    await runTool({ command: python, args: install, cwd: folder });
    await writeFile(stampFile, stamp);
    return '';
  } catch (error) {
    return `: skipped, its packages cannot be installed (${String(error).split('\n', 1)[0]?.slice(0, 200)})`;
  }
}

const why = await prepare();
if (why !== '') console.warn(title + why);
const program = { table: 'snakes', command: python, args: ['-B', 'program.py'], cwd: folder };
const [run] = why === '' ? await runTraced([program]) : [];

describe.skipIf(why !== '')(title + why, () => {
  it('continues in the emulator', () => expectOneTrace(run as TracedRun));
});
