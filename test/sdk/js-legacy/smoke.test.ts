// azure-storage 2.10 for JavaScript, the client before @azure/data-tables, unmodified, as pinned in package-lock.json. It
// has spoken JSON since 0.5, and has no way back to Atom. The program is smoke.mjs; this test tells what it must report.
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
  'is told of refusals',
  'carries out a batch of every kind of operation',
  'carries out a batch of 100 operations',
  'fails a batch with the error of the operation that failed, and writes nothing',
  'retrieves by a batch that is a query',
  'goes on with a query where the page ended',
];

// Installed anew only when package-lock.json has changed since the last time.
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
