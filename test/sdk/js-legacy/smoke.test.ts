// Tests the unmodified package azure-storage 2.10 for JavaScript, the predecessor of @azure/data-tables.
// package-lock.json pins the version. azure-storage has used JSON since version 0.5, and no longer supports Atom. The
// program is smoke.mjs, and this test lists the checks that the program must report.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeSmoke, type Program, runTool } from '../../support/run-checks.ts';

const folder = import.meta.dirname;
const stampFile = join(folder, 'node_modules', '.package-lock.sha256');
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

const expected = [
  'creates, lists and deletes a table',
  'keeps every type',
  'replaces, merges, upserts and deletes an entity',
  'reports errors',
  'carries out a batch of every kind of operation',
  'carries out a batch of 100 operations',
  'fails a batch with the error of the failed operation, and writes nothing',
  'retrieves an entity by a batch with a query',
  'continues a query at the end of its page',
];

// Installs the packages again only if package-lock.json has changed since the last time.
async function prepare(): Promise<Program> {
  const stamp = createHash('sha256')
    .update(await readFile(join(folder, 'package-lock.json')))
    .digest('hex');
  if ((await readFile(stampFile, 'utf8').catch(() => '')) !== stamp) {
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    await runTool({ command: npm, args, cwd: folder });
    await writeFile(stampFile, stamp);
  }
  return { command: process.execPath, args: ['smoke.mjs'], cwd: folder };
}

describeSmoke({ title: 'azure-storage 2.10 for JavaScript', tool: [npm, '--version'], expected, prepare });
