// Tests traces of @azure/data-tables with OpenTelemetry's instrumentation of Azure SDKs. Both packages are unmodified,
// at the versions that js/package-lock.json pins.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runTool } from '../../support/run-checks.ts';
import { expectOneTrace, runTraced, type TracedRun } from './caller-spans.ts';

const folder = join(import.meta.dirname, 'js');
const stampFile = join(folder, 'node_modules', '.package-lock.sha256');
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const title = 'The trace of a program with @azure/data-tables';

/**
 * Installs the packages if package-lock.json has changed since the last installation. Returns '', or the reason why the
 * packages cannot be installed.
 */
async function prepare(): Promise<string> {
  const stamp = createHash('sha256')
    .update(await readFile(join(folder, 'package-lock.json')))
    .digest('hex');
  if ((await readFile(stampFile, 'utf8').catch(() => '')) === stamp) return '';
  try {
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    await runTool({ command: npm, args, cwd: folder });
    await writeFile(stampFile, stamp);
    return '';
  } catch (error) {
    return `: skipped, its packages cannot be installed (${String(error).split('\n', 1)[0]?.slice(0, 200)})`;
  }
}

const why = await prepare();
if (why !== '') console.warn(title + why);
const programs = [
  { table: 'common', args: ['program.cjs'] },
  { table: 'hooked', args: ['--import', './register-hook.mjs', 'program.mjs'] },
  { table: 'plain', args: ['program.mjs'] },
].map((program) => ({ ...program, command: process.execPath, cwd: folder }));
const [common, hooked, plain] = why === '' ? await runTraced(programs) : [];

describe.skipIf(why !== '')(title + why, () => {
  it('continues in the emulator, from CommonJS', () => expectOneTrace(common as TracedRun));

  it('continues in the emulator, from an ES module with the loader hook', () => expectOneTrace(hooked as TracedRun));

  it('ends in the program, from an ES module without the loader hook: no header is sent', () => {
    const { caller, served } = plain as TracedRun;
    expect(caller.map(({ name }) => name)).toEqual(['page']);
    expect(served).toHaveLength(5);
    expect(served.filter(({ parentSpanId }) => parentSpanId !== undefined)).toEqual([]);
  });
});
