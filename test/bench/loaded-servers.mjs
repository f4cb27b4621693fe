// Fills servers with the same entities, and checks that they answer the same.
import { deepStrictEqual } from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { loadBatch } from './batches.mjs';
import { askAll, askOnce } from './client.mjs';
import { batchEntities, batchStarts, entityText, partitionEntities, serialMark } from './entities.mjs';
import { createTable } from './requests.mjs';
import { findRow } from './rows.mjs';
import { startCeiling } from './servers.mjs';
import { loadedTable, renderRequests } from './slice.mjs';

const loadConnections = 4;
// Rows that add entities send their samples to this table, so that the loaded table does not change.
const sampleTable = 'samples';
// Answers of the ceiling may differ in length by trailing zeros of the time of change.
const ceilingBytesShareMax = 0.01;
let samples = 0;

// Fills a table of a server by batches. Returns the number of seconds that it took.
export async function fillTable({
  server: { name, port, isSecure },
  table = loadedTable,
  entities,
  textOf = entityText,
}) {
  if (entities % partitionEntities !== 0 || entities < 2 * partitionEntities)
    throw new Error(`the bench wants whole partitions, at least two, of ${partitionEntities} entities`);
  const starts = batchStarts(entities).values();
  const next = () => {
    const { value: start, done } = starts.next();
    return done ? undefined : loadBatch({ port, table, start, textOf });
  };
  const check = (answer) => {
    if (!isWholeBatch(answer)) throw new Error(`${name} refused a batch: ${answer.body.slice(0, 500)}`);
  };
  for (const name of [table, sampleTable])
    await askOnce({ port, isSecure, request: createTable({ port, table: name }) });
  const began = performance.now();
  await askAll({ port, isSecure, next, check, connections: loadConnections });
  return (performance.now() - began) / 1_000;
}

// Starts a ceiling that repeats the answers of a loaded server.
export async function startCeilingLike({ model, entities }) {
  const sampleOf = (server, name) => askSample({ server, row: findRow(name), entities, pick: () => 0 });
  const names = { read: 'point-read', insert: 'insert', range: 'range', page: 'page-1000' };
  const samples = {};
  for (const [sample, name] of Object.entries(names)) samples[sample] = await sampleOf(model, name);
  const ceiling = await startCeiling({ entities, ...samples });
  for (const [sample, name] of Object.entries(names)) {
    const { bytes } = await sampleOf(ceiling, name);
    const wanted = samples[sample].bytes;
    if (Math.abs(bytes / wanted - 1) > ceilingBytesShareMax)
      throw new Error(`${name}: the ceiling sends ${bytes} B, ${model.name} ${wanted} B`);
  }
  return ceiling;
}

// Before anything is measured, sends one sample request of a row (rows.mjs) to each server. Each answer must be what
// the row expects. All answers must contain the same entities with the same properties. The server `ceiling` is an
// exception: the entities in its answer only need the same keys.
export async function checkSameAnswers({ servers, row, entities }) {
  const answers = [];
  for (const server of servers) {
    const answer = await askSample({ server, row, entities, pick: (limit) => Math.floor(limit * 0.6) });
    server.bytesOf ??= new Map();
    if (row.expected !== 'batch') server.bytesOf.set(row.name, answer.bytes);
    answers.push({ server, found: readExpected({ server, row, answer }) });
  }
  const [first, ...others] = answers;
  for (const { server, found } of others) {
    const view = [server.name, first.server.name].includes('ceiling') ? keysOf : sentOf;
    const title = `${server.name} and ${first.server.name} answer differently to ${row.name}`;
    deepStrictEqual(found.map(view), first.found.map(view), title);
  }
}

function askSample({ server: { port, isSecure }, row, entities, pick }) {
  const table = row.isAdding ? sampleTable : loadedTable;
  const [request] = renderRequests({ row, port, table, entities, pick, count: 1 });
  const serial = String(++samples).padStart(serialMark.length, '0');
  return askOnce({ port, isSecure, request: request.replaceAll(serialMark, serial) });
}

// The entities of an answer. Throws if the answer is not what the row expects.
function readExpected({ server, row, answer }) {
  const { expected, name } = row;
  const fail = () => {
    throw new Error(`${server.name}, ${name}: unexpected ${answer.status} ${answer.body.slice(0, 500)}`);
  };
  if (expected === 'batch') return isWholeBatch(answer) ? [] : fail();
  if (expected === 'nothing') return answer.status === 204 ? [] : fail();
  if (answer.status !== 200) return fail();
  const found = JSON.parse(answer.body);
  if (expected === 'entity') return [found];
  const isContinued = answer.headers.some(([header]) => /^x-ms-continuation/i.test(header));
  return found.value.length === expected && isContinued === Boolean(row.isPart) ? found.value : fail();
}

// Whether the server accepted every change of a batch.
function isWholeBatch({ status, body }) {
  return status === 202 && body.match(/^HTTP\/1\.1 204/gm)?.length === batchEntities;
}

function keysOf({ PartitionKey, RowKey }) {
  return { PartitionKey, RowKey };
}

// The properties of an entity that the bench sent, without those that the server added.
function sentOf(entity) {
  return Object.fromEntries(
    Object.entries(entity).filter(([name]) => !/^odata\.|^Timestamp(@odata\.type)?$/.test(name)),
  );
}
