// azure-data-tables for Python, unmodified, as pinned in requirements.txt. The program is smoke.py; this test installs
// what it needs and tells what it must report.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeSmoke, type Program, runTool } from '../../support/run-checks.ts';

const folder = import.meta.dirname;
const environment = join(folder, '.venv');
const python = join(environment, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
const stampFile = join(environment, 'requirements.sha256');

const expected = [
  'creates a table',
  'answers 409 TableAlreadyExists when the table exists',
  'lists tables by pages, in the order of their names',
  'deletes a table',
  'answers 404 ResourceNotFound when the table to delete is missing',
  'answers 404 TableNotFound when an entity is put into a missing table',
  'answers 403 AuthenticationFailed when the key is wrong',
  'keeps a string, the empty string, quotes and line ends',
  'keeps Unicode',
  'keeps booleans',
  'keeps an Int32 to its ends',
  'keeps an Int64 beyond 2^53',
  'keeps a double',
  'keeps a double that is a whole number a double',
  'keeps NaN and the infinities',
  'keeps a datetime, to 100 ns where the program gives them',
  'keeps a guid',
  'keeps binary, empty binary too',
  'drops a property that is null',
  'gives the ETag of the insert in a get, made of the timestamp',
  'echoes the inserted entity when the client prefers content, and not when it prefers none',
  'answers 409 EntityAlreadyExists when the key is taken',
  'answers 404 ResourceNotFound when the entity is missing',
  'gives only the selected properties in a get, null for one the entity lacks',
  'gives only the selected properties in a list',
  'replaces an entity: properties left out vanish',
  'merges into an entity: properties left out stay',
  'answers 404 ResourceNotFound to an update of a missing entity',
  'inserts by an upsert when the entity is new',
  'replaces by an upsert (replace) when the entity exists',
  'merges by an upsert (merge) when the entity exists',
  'answers 412 UpdateConditionNotSatisfied to a stale update, and keeps the entity',
  'updates when the ETag is current, and gives a new one',
  'answers 412 UpdateConditionNotSatisfied to a stale delete, and keeps the entity',
  'deletes when the ETag is current',
  'deletes without a condition',
  'answers 404 ResourceNotFound when the entity to delete is missing',
  'finds, changes and deletes an entity whose keys hold single quotes',
  'finds, changes and deletes an entity whose keys hold the address syntax itself',
  'finds, changes and deletes an entity whose keys hold percent signs',
  'finds, changes and deletes an entity whose keys hold plus signs and spaces',
  'finds, changes and deletes an entity whose keys hold punctuation',
  'finds, changes and deletes an entity whose keys hold Unicode and emoji',
  'finds, changes and deletes an entity whose keys hold the empty string',
  'finds, changes and deletes an entity whose keys hold the empty string and text',
  'finds, changes and deletes an entity whose keys hold text and the empty string',
  'brings at most 1,000 in a page',
  'brings every entity once',
  'keeps to the order of (PartitionKey, RowKey), across pages too',
  'brings one empty page for an empty table',
  'goes on after a page when the next key is the empty string',
  'sends no token with a full page that is the last',
  'carries out a transaction of every kind of operation',
  'carries out a transaction of 100 operations',
  'fails a transaction with the error and the index of the operation that failed, and writes nothing',
  'opens with a signature for the table what it permits',
  'opens with a signature for a range of keys nothing outside it',
  'opens nothing with a signature that has expired',
  'opens with a signature for the account what it permits',
];

// A new environment only when requirements.txt has changed since the last one was completed.
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

describeSmoke({ title: 'azure-data-tables for Python', tool: ['python3', '--version'], expected, prepare });
