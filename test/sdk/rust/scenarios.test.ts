// Tests azure_data_tables for Rust, unmodified, at the version that Cargo.lock pins. The program is src/main.rs. The
// first build of the program takes more than a minute of processor time, and needs TANZANITE_TEST_RUST=1. Later runs
// use the build in .cache.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describeSmoke, isInstalled, runTool } from '../../support/run-checks.ts';
import { scenariosOf } from '../../support/sdk-scenarios.ts';

const folder = import.meta.dirname;
const target = join(folder, '.cache/target');
const program = join(target, 'debug', process.platform === 'win32' ? 'scenarios.exe' : 'scenarios');

const build = ['build', '--quiet', '--locked', '--target-dir', target];
const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`test/sdk/rust: skipped, ${missing}`);

describeSmoke({
  title: 'azure_data_tables for Rust',
  tool: missing === undefined ? ['cargo', '--version'] : undefined,
  expected: scenariosOf('rust'),
  async prepare() {
    await runTool({ command: 'cargo', args: build, cwd: folder });
    return { command: program, args: [], cwd: folder };
  },
});

/** Why the program cannot run here, or undefined if it can. */
async function whatIsMissing(): Promise<string | undefined> {
  if (!isInstalled(['cargo', '--version'])) return 'cargo is not installed';
  if (!existsSync(program) && process.env['TANZANITE_TEST_RUST'] !== '1')
    return 'the first build takes a while: TANZANITE_TEST_RUST=1';
  return runTool({ command: 'cargo', args: ['fetch', '--quiet', '--locked'], cwd: folder }).then(
    () => undefined,
    (error: Error) => error.message.split('\n', 1)[0],
  );
}
