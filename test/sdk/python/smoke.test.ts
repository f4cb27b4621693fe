// azure-data-tables for Python, unmodified, as pinned in requirements.txt. The program is smoke.py; this test installs
// what it needs and lists what it must report.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeExecSuite } from '../../support/exec-suite.ts';
import { describeSmoke, type Program, runTool } from '../../support/run-checks.ts';

const folder = import.meta.dirname;
const environment = join(folder, '.venv');
const python = join(environment, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
const stampFile = join(environment, 'requirements.sha256');

const expected = [
  'creates a table',
  'answers 409 TableAlreadyExists when the table exists',
  'lists tables in pages, in the order of their names',
  'deletes a table',
  'answers 404 ResourceNotFound if the table to delete is missing',
  'answers 404 TableNotFound to an insert into a missing table',
  'answers 403 AuthenticationFailed when the key is wrong',
  'keeps a string, the empty string, quotes and line ends',
  'keeps Unicode',
  'keeps booleans',
  'keeps the smallest and greatest Int32',
  'keeps an Int64 beyond 2^53',
  'keeps a double',
  'keeps a whole number that is a double as a double',
  'keeps NaN and the infinities',
  'keeps a datetime, to 100 ns if the program sends them',
  'keeps a guid',
  'keeps binary, including empty binary',
  'drops a property that is null',
  'returns the ETag of the insert in a get, made from the timestamp',
  'echoes the inserted entity only if the client prefers content',
  'answers 409 EntityAlreadyExists if the key exists',
  'answers 404 ResourceNotFound when the entity is missing',
  'returns only the selected properties in a get, null for one that the entity lacks',
  'returns only the selected properties in a list',
  'replaces an entity: omitted properties are removed',
  'merges into an entity: omitted properties stay',
  'answers 404 ResourceNotFound to an update of a missing entity',
  'inserts by an upsert when the entity is new',
  'replaces by an upsert (replace) when the entity exists',
  'merges by an upsert (merge) when the entity exists',
  'answers 412 UpdateConditionNotSatisfied to a stale update, and keeps the entity',
  'updates if the ETag is current, and returns a new one',
  'answers 412 UpdateConditionNotSatisfied to a stale delete, and keeps the entity',
  'deletes when the ETag is current',
  'deletes without a condition',
  'answers 404 ResourceNotFound if the entity to delete is missing',
  'finds, changes and deletes an entity whose keys hold single quotes',
  'finds, changes and deletes an entity whose keys hold the address syntax itself',
  'finds, changes and deletes an entity whose keys hold percent signs',
  'finds, changes and deletes an entity whose keys hold plus signs and spaces',
  'finds, changes and deletes an entity whose keys hold punctuation',
  'finds, changes and deletes an entity whose keys hold Unicode and emoji',
  'finds, changes and deletes an entity whose keys hold the empty string',
  'finds, changes and deletes an entity whose keys hold the empty string and text',
  'finds, changes and deletes an entity whose keys hold text and the empty string',
  'has at most 1,000 entities in a page',
  'returns every entity once',
  'is in the order of (PartitionKey, RowKey), across pages too',
  'has one empty page for an empty table',
  'continues after a page if the next key is the empty string',
  'sends no token with a full last page',
  'carries out a transaction of every kind of operation',
  'carries out a transaction of 100 operations',
  'fails a transaction with the error and the index of the failed operation, and writes nothing',
  'allows what a signature for the table permits',
  'allows nothing outside the range of a signature',
  'allows nothing with an expired signature',
  'allows what a signature for the account permits',
  'goes on working while the clock is turned by a day, and its signatures expire',
];

// Makes a new environment only if requirements.txt has changed since the last one was completed.
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

describeSmoke({ title: 'azure-data-tables for Python', tool, expected, prepare });

describeExecSuite({
  title: 'a suite of unittest',
  tool,
  prepare: async () => ({ ...(await prepare()), args: ['-B', '../exec/suite.py'] }),
  failureCode: 1,
});
