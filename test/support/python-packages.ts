// Virtual environments for programs in Python.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runTool } from './run-checks.ts';

/**
 * Installs Python packages into the `.venv` of `folder`, unless `.venv` already contains them. The requirements.txt of
 * `folder` lists these packages. Returns the path of the Python in `.venv`.
 */
export async function installPackages(folder: string): Promise<string> {
  const environment = join(folder, '.venv');
  const python = join(environment, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  const stampFile = join(environment, 'requirements.sha256');
  const requirements = await readFile(join(folder, 'requirements.txt'));
  const stamp = createHash('sha256').update(requirements).digest('hex');
  if ((await readFile(stampFile, 'utf8').catch(() => '')) === stamp) return python;
  // A second pip, and compiled modules that a test uses once, would take most of the time.
  const canShare = canInstallElsewhere();
  const create = ['-m', 'venv', '--clear', ...(canShare ? ['--without-pip'] : []), environment];
  const install = ['install', '--quiet', '--disable-pip-version-check', '--no-compile', '-r', 'requirements.txt'];
  const pip = canShare ? ['python3', '-m', 'pip', '--python', python] : [python, '-m', 'pip'];
  await runTool({ command: 'python3', args: create, cwd: folder });
  await runTool({ command: pip[0] ?? '', args: [...pip.slice(1), ...install], cwd: folder });
  await writeFile(stampFile, stamp);
  return python;
}

/**
 * Whether the pip of python3 can install packages into another environment. pip has the option `--python` since version
 * 22.3.
 */
function canInstallElsewhere(): boolean {
  try {
    const text = execFileSync('python3', ['-m', 'pip', '--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return Number(/^pip (\d+)/.exec(text)?.[1]) >= 23;
  } catch {
    return false;
  }
}
