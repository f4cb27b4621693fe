// aztables for Go, unmodified, as pinned in go.mod and go.sum. The program is main.go and the files next to it; this test
// builds it and lists what it must report.
import { join } from 'node:path';
import { describeExecSuite } from '../../support/exec-suite.ts';
import { describeSmoke, type Program, runTool } from '../../support/run-checks.ts';

const folder = import.meta.dirname;
const program = join(folder, '.cache', process.platform === 'win32' ? 'smoke.exe' : 'smoke');

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
  'stores a whole number beyond Int32 as a double',
  'keeps NaN and the infinities',
  'keeps a datetime to 100 ns',
  'keeps a guid',
  'keeps binary, including empty binary',
  'drops a property that is null',
  'returns the ETag of the insert in a get, made from the timestamp',
  'echoes the inserted entity',
  'answers 409 EntityAlreadyExists if the key exists',
  'answers 404 ResourceNotFound when the entity is missing',
  'answers in every level of metadata',
  'returns only the selected properties in a list',
  'replaces an entity: omitted properties are removed',
  'merges into an entity: properties that are omitted or null stay',
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
  'finds, changes and deletes an entity whose keys hold text and the empty string',
  'stores both quotes that EDMEntity makes of one',
  'has at most 1,000 entities in a page',
  'returns every entity once',
  'is in the order of (PartitionKey, RowKey), across pages too',
  'has one empty page for an empty table',
  'continues after a page if the next key is the empty string',
  'sends no token with a full last page',
  'carries out a transaction of every kind of operation',
  'carries out a transaction of 100 operations',
  'fails a transaction with the error of the failed operation, and writes nothing',
  'allows what a signature for the table permits',
  'allows nothing outside the range of a signature',
  'allows nothing with an expired signature',
  'allows what a signature for the account permits',
  'refuses a signature for https over http',
  'goes on working while the clock is turned by a day, and its signatures expire',
];

async function prepare(): Promise<Program> {
  // Read-only: what go.mod and go.sum do not pin is an error, not an update.
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
