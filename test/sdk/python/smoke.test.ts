// Tests azure-data-tables for Python, unmodified, at the version that requirements.txt pins. The program is smoke.py;
// this test installs what it needs.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeExecSuite } from '../../support/exec-suite.ts';
import { describeSmoke, type Program, runTool } from '../../support/run-checks.ts';
import { scenariosOf } from '../../support/sdk-scenarios.ts';

const folder = import.meta.dirname;
const environment = join(folder, '.venv');
const python = join(environment, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
const stampFile = join(environment, 'requirements.sha256');

// Makes a new virtual environment only if requirements.txt has changed since the last one was completed.
async function prepare(): Promise<Program> {
  const requirements = await readFile(join(folder, 'requirements.txt'));
  const stamp = createHash('sha256').update(requirements).digest('hex');
  if ((await readFile(stampFile, 'utf8').catch(() => '')) !== stamp) {
    await runTool({ command: 'python3', args: ['-m', 'venv', '--clear', environment], cwd: folder });
    const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt'];
    await runTool({ command: python, args: install, cwd: folder });
    await writeFile(stampFile, stamp);
  }
  return { command: python, args: ['-B', 'smoke.py'], cwd: folder };
}

const tool = ['python3', '--version'] as const;

describeSmoke({ title: 'azure-data-tables for Python', tool, expected: scenariosOf('python'), prepare });

describeExecSuite({
  title: 'a suite of unittest',
  tool,
  prepare: async () => ({ ...(await prepare()), args: ['-B', '../exec/suite.py'] }),
  failureCode: 1,
});
