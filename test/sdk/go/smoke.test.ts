// Tests aztables for Go, unmodified, at the version that go.mod and go.sum pin. This test builds the program from
// main.go and the files next to main.go.
import { join } from 'node:path';
import { describeExecSuite } from '../../support/exec-suite.ts';
import { describeSmoke, type Program, runTool } from '../../support/run-checks.ts';
import { scenariosOf } from '../../support/sdk-scenarios.ts';

const folder = import.meta.dirname;
const program = join(folder, '.cache', process.platform === 'win32' ? 'smoke.exe' : 'smoke');

const expected = [
  ...scenariosOf('go'),
  'answers in every level of metadata',
  'stores both quotes that EDMEntity makes of one',
];

async function prepare(): Promise<Program> {
  // Read-only: a dependency that go.mod and go.sum do not pin is an error, and the files are not updated.
  await runTool({ command: 'go', args: ['build', '-mod=readonly', '-o', program, '.'], cwd: folder });
  return { command: program, args: [], cwd: folder };
}

const tool = ['go', 'version'] as const;

describeSmoke({ title: 'aztables for Go', tool, expected, prepare });

describeExecSuite({
  title: 'a suite of go test',
  tool,
  prepare: async () => ({ command: 'go', args: ['test', '-v', '-count=1', '-mod=readonly', './suite'], cwd: folder }),
  failureCode: 1,
});
