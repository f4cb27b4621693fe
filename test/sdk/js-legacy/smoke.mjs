// Tests azure-storage 2.10 for JavaScript, unmodified, against the server that TABLES_CONNECTION_STRING names. Prints
// one JSON object per line, {"check": title, "ok": true or false, "error": text}. smoke.test.ts reads this output.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import storage from 'azure-storage';

const service = storage.createTableService(process.env.TABLES_CONNECTION_STRING);
const generate = storage.TableUtilities.entityGenerator;
const table = `legacy${randomBytes(4).toString('hex')}`;

/** A method of the table service, as a function that resolves with the result and the response. */
function method(name) {
  const call = service[name].bind(service);
  return (...args) =>
    new Promise((resolve, reject) => {
      call(...args, (error, result, response) => (error ? reject(error) : resolve({ result, response })));
    });
}

const insertEntity = method('insertEntity');
const retrieveEntity = method('retrieveEntity');
const queryEntities = method('queryEntities');
const executeBatch = method('executeBatch');

/** `204`, or for a refusal a text such as `409 EntityAlreadyExists`. */
async function answerOf(call) {
  try {
    return String((await call).response.statusCode);
  } catch (error) {
    return `${error.statusCode} ${error.code}`;
  }
}

function entity(PartitionKey, RowKey, properties = {}) {
  return { PartitionKey: generate.String(PartitionKey), RowKey: generate.String(RowKey), ...properties };
}

async function insertRows(...rowKeys) {
  const partition = randomBytes(6).toString('hex');
  for (const rowKey of rowKeys) await insertEntity(table, entity(partition, rowKey, { a: generate.Int32(1) }));
  return partition;
}

async function rowsOf(partition) {
  const query = new storage.TableQuery().where('PartitionKey eq ?', partition);
  const { result } = await queryEntities(table, query, null);
  const valuesOf = ({ a, c }) =>
    Object.fromEntries(Object.entries({ a, c }).flatMap(([k, v]) => (v ? [[k, v._]] : [])));
  return Object.fromEntries(result.entries.map((found) => [found.RowKey._, valuesOf(found)]));
}

const three = { c: generate.Int32(3) };

const checks = {
  'creates, lists and deletes a table': async () => {
    const name = `${table}x`;
    assert.equal((await method('createTableIfNotExists')(name)).result.created, true);
    assert.equal((await method('createTableIfNotExists')(name)).result.created, false);
    const { result } = await method('listTablesSegmented')(null);
    assert.ok(result.entries.includes(name));
    await method('deleteTable')(name);
    assert.equal((await method('doesTableExist')(name)).result.exists, false);
  },
  'keeps every type': async () => {
    const when = new Date('2024-05-01T10:00:00.250Z');
    const properties = {
      text: generate.String(" Gr\u00fc\u00dfe 'x' "),
      flag: generate.Boolean(true),
      int: generate.Int32(-5),
      long: generate.Int64('9007199254740993'),
      double: generate.Double(1.5),
      when: generate.DateTime(when),
      guid: generate.Guid('0f8fad5b-d9cb-469f-a165-70867728950e'),
      bytes: generate.Binary(Buffer.from([1, 2, 3])),
    };
    await insertEntity(table, entity('types', "it's", properties));
    const { result } = await retrieveEntity(table, 'types', "it's");
    const values = Object.fromEntries(Object.keys(properties).map((name) => [name, result[name]._]));
    assert.deepEqual(
      values,
      Object.fromEntries(Object.entries(properties).map(([name, { _: value }]) => [name, value])),
    );
  },
  'replaces, merges, upserts and deletes an entity': async () => {
    const partition = await insertRows('replaced', 'merged', 'gone');
    await method('replaceEntity')(table, entity(partition, 'replaced', three));
    await method('mergeEntity')(table, entity(partition, 'merged', three));
    await method('insertOrReplaceEntity')(table, entity(partition, 'upserted', three));
    await method('insertOrMergeEntity')(table, entity(partition, 'upserted', { a: generate.Int32(2) }));
    await method('deleteEntity')(table, entity(partition, 'gone'));
    assert.deepEqual(await rowsOf(partition), { merged: { a: 1, c: 3 }, replaced: { c: 3 }, upserted: { a: 2, c: 3 } });
  },
  'reports errors': async () => {
    const partition = await insertRows('taken');
    assert.equal(await answerOf(insertEntity(table, entity(partition, 'taken'))), '409 EntityAlreadyExists');
    assert.equal(await answerOf(retrieveEntity(table, partition, 'none')), '404 ResourceNotFound');
    const stale = { ...entity(partition, 'taken'), '.metadata': { etag: `W/"datetime'2001-01-01T00%3A00%3A00Z'"` } };
    assert.equal(await answerOf(method('replaceEntity')(table, stale)), '412 UpdateConditionNotSatisfied');
  },
  'carries out a batch of every kind of operation': async () => {
    const partition = await insertRows('replaced', 'merged', 'gone');
    const batch = new storage.TableBatch();
    batch.insertEntity(entity(partition, 'new', three), { echoContent: false });
    batch.insertEntity(entity(partition, 'echoed', three), { echoContent: true });
    batch.replaceEntity(entity(partition, 'replaced', three));
    batch.mergeEntity(entity(partition, 'merged', three));
    batch.deleteEntity(entity(partition, 'gone'));
    batch.insertOrReplaceEntity(entity(partition, 'upserted', three));
    const { result } = await executeBatch(table, batch);
    assert.deepEqual(
      result.map(({ response }) => response.statusCode),
      [204, 201, 204, 204, 204, 204],
    );
    assert.equal(result[1].entity.RowKey._, 'echoed');
    assert.deepEqual(await rowsOf(partition), {
      echoed: { c: 3 },
      merged: { a: 1, c: 3 },
      new: { c: 3 },
      replaced: { c: 3 },
      upserted: { c: 3 },
    });
  },
  'carries out a batch of 100 operations': async () => {
    const partition = await insertRows();
    const batch = new storage.TableBatch();
    for (let row = 0; row < 100; row++) batch.insertEntity(entity(partition, String(row)));
    assert.equal((await executeBatch(table, batch)).result.length, 100);
    assert.equal(Object.keys(await rowsOf(partition)).length, 100);
  },
  'fails a batch with the error of the failed operation, and writes nothing': async () => {
    const partition = await insertRows('taken');
    const batch = new storage.TableBatch();
    batch.insertEntity(entity(partition, 'new'));
    batch.insertEntity(entity(partition, 'taken'));
    const error = await executeBatch(table, batch).catch((failure) => failure);
    assert.equal(error.code, 'EntityAlreadyExists');
    assert.match(error.message, /^1:The specified entity already exists\./);
    assert.deepEqual(await rowsOf(partition), { taken: { a: 1 } });
  },
  'retrieves an entity by a batch with a query': async () => {
    const partition = await insertRows('one');
    const batch = new storage.TableBatch();
    batch.retrieveEntity(partition, 'one');
    const { result } = await executeBatch(table, batch);
    assert.equal(result[0].entity.a._, 1);
  },
  'continues a query at the end of its page': async () => {
    const partition = await insertRows('a', 'b', 'c', 'd', 'e');
    const query = new storage.TableQuery().where('PartitionKey eq ?', partition).top(2);
    const seen = [];
    let token = null;
    do {
      const { result } = await queryEntities(table, query, token);
      seen.push(...result.entries.map(({ RowKey }) => RowKey._));
      token = result.continuationToken;
    } while (token && seen.length < 10);
    assert.deepEqual(seen, ['a', 'b', 'c', 'd', 'e']);
  },
};

await method('createTable')(table);
for (const [check, run] of Object.entries(checks)) {
  const report = await run().then(
    () => ({ check, ok: true }),
    (error) => ({ check, ok: false, error: error.stack ?? JSON.stringify(error) }),
  );
  console.log(JSON.stringify(report));
}
await method('deleteTable')(table);
