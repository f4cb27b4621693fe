// Tests azure-data-tables for Python, unmodified, at the version that requirements.txt pins. The program is smoke.py.
// This test installs the packages of the program.
import { describeExecSuite } from '../../support/exec-suite.ts';
import { installPackages } from '../../support/python-packages.ts';
import { describeSmoke, type Program } from '../../support/run-checks.ts';
import { scenariosOf } from '../../support/sdk-scenarios.ts';

const folder = import.meta.dirname;

async function prepare(): Promise<Program> {
  return { command: await installPackages(folder), args: ['smoke.py'], cwd: folder };
}

const tool = ['python3', '--version'] as const;

describeSmoke({ title: 'azure-data-tables for Python', tool, expected: scenariosOf('python'), prepare });

describeExecSuite({
  title: 'a suite of unittest',
  tool,
  prepare: async () => ({ ...(await prepare()), args: ['../exec/suite.py'] }),
  failureCode: 1,
});
