// Tests traces of azure-data-tables for Python with azure-core-tracing-opentelemetry. Both packages are unmodified, at
// the versions that python/requirements.txt pins.
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { installPackages } from '../../support/python-packages.ts';
import { isInstalled } from '../../support/run-checks.ts';
import { expectOneTrace, runTraced, type TracedRun } from './caller-spans.ts';

const folder = join(import.meta.dirname, 'python');
const title = 'The trace of a program with azure-data-tables for Python';

let python = '';
let why = '';
if (isInstalled(['python3', '--version'])) {
  try {
    python = await installPackages(folder);
  } catch (error) {
    why = `: skipped, its packages cannot be installed (${String(error).split('\n', 1)[0]?.slice(0, 200)})`;
  }
} else {
  why = ': skipped, python3 is not installed';
}
if (why !== '') console.warn(title + why);
const program = { table: 'snakes', command: python, args: ['program.py'], cwd: folder };
const [run] = why === '' ? await runTraced([program]) : [];

describe.skipIf(why !== '')(title + why, () => {
  it('continues in the emulator', () => expectOneTrace(run as TracedRun));
});
