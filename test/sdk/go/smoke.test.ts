// aztables for Go, unmodified, as pinned in go.mod and go.sum. The program is main.go and the files beside it; this test
// builds it and tells what it must report.
import { join } from 'node:path';
import { describeSmoke, type Program, runTool } from '../../support/run-checks.ts';

const folder = import.meta.dirname;
const program = join(folder, '.cache', process.platform === 'win32' ? 'smoke.exe' : 'smoke');

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
  'stores a whole number beyond Int32 as a double',
  'keeps NaN and the infinities',
  'keeps a datetime to 100 ns',
  'keeps a guid',
  'keeps binary, empty binary too',
  'drops a property that is null',
  'gives the ETag of the insert in a get, made of the timestamp',
  'echoes the inserted entity',
  'answers 409 EntityAlreadyExists when the key is taken',
  'answers 404 ResourceNotFound when the entity is missing',
  'answers in every level of metadata',
  'gives only the selected properties in a list',
  'replaces an entity: properties left out vanish',
  'merges into an entity: properties left out or null stay',
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
  'finds, changes and deletes an entity whose keys hold text and the empty string',
  'stores both of the quotes that EDMEntity makes of one',
  'brings at most 1,000 in a page',
  'brings every entity once',
  'keeps to the order of (PartitionKey, RowKey), across pages too',
  'brings one empty page for an empty table',
  'goes on after a page when the next key is the empty string',
  'sends no token with a full page that is the last',
  'carries out a transaction of every kind of operation',
  'carries out a transaction of 100 operations',
  'fails a transaction with the error of the operation that failed, and writes nothing',
  'opens with a signature for the table what it permits',
  'opens with a signature for a range of keys nothing outside it',
  'opens nothing with a signature that has expired',
  'opens with a signature for the account what it permits',
  'refuses a signature for https when it comes by http',
];

async function prepare(): Promise<Program> {
  // Read-only: what go.mod and go.sum do not pin is an error, not an update.
  await runTool({ command: 'go', args: ['build', '-mod=readonly', '-o', program, '.'], cwd: folder });
  return { command: program, args: [], cwd: folder };
}

describeSmoke({ title: 'aztables for Go', tool: ['go', 'version'], expected, prepare });
