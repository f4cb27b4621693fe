// The servers of the query benches, loaded with the same entities; and whether they answer the same.
import { deepStrictEqual } from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { askOnce, drive } from './load.mjs';
import {
  batchEntities,
  followPages,
  pageEntities,
  pageQueries,
  partitionEntities,
  queryBatch,
  queryBatches,
  queryInserts,
  queryTable,
  rangeEntities,
  rangeQueries,
} from './query-requests.mjs';
import { createTable } from './requests.mjs';
import { startAzurite, startCeiling, startTanzanite } from './servers.mjs';

export const scanTimeoutMs = 60_000;
const loadTimeoutMs = 20 * 60_000;
// The frames differ by the zeros that a time of change ends in.
const ceilingBytesShare = 0.01;

// names: which of tanzanite, ceiling and azurite to start. The ceiling repeats Tanzanite, or Azurite where there is no other.
export async function startQueryServers({ names, entities }) {
  if (entities % partitionEntities !== 0 || entities < 2 * partitionEntities)
    throw new Error(`the query benches want whole partitions, at least two, of ${partitionEntities} entities`);
  const servers = {};
  const loads = [];
  if (names.includes('azurite')) servers.azurite = await startAzurite();
  if (names.includes('tanzanite')) servers.tanzanite = await startTanzanite();
  for (const server of Object.values(servers)) loads.push(await loadQueryTable({ server, entities }));
  if (names.includes('ceiling')) servers.ceiling = await startQueryCeiling({ ...servers, entities });
  console.log(`\nquery servers: ${entities.toLocaleString('en-US')} entities; ${loads.join('; ')}`);
  return {
    servers,
    entities,
    stop: () => Promise.all(Object.values(servers).map((server) => server.stop())),
  };
}

// Loads by batches where the server has them, else one by one.
async function loadQueryTable({ server: { name, port }, entities }) {
  await askOnce({ port, request: createTable({ port, table: queryTable }) });
  const began = performance.now();
  const probe = await askOnce({ port, request: queryBatch({ port, start: 0 }), answerTimeoutMs: scanTimeoutMs });
  const hasBatches = isWholeBatch(probe);
  const load = hasBatches
    ? { next: queryBatches({ port, entities }), status: 202, connections: 4, requestsMax: entities / batchEntities - 1 }
    : { next: queryInserts({ port, entities }), status: 204, connections: 32, requestsMax: entities };
  // The probe was the first batch.
  if (hasBatches) load.next();
  const { answered } = await drive({ port, ...load, durationMs: loadTimeoutMs, answerTimeoutMs: scanTimeoutMs });
  if (answered !== load.requestsMax)
    throw new Error(`${name} took only ${answered} of ${load.requestsMax} requests in time`);
  const seconds = (performance.now() - began) / 1000;
  return `${name} loaded in ${seconds.toFixed(1)} s by ${hasBatches ? 'batches' : 'single inserts'}`;
}

async function startQueryCeiling({ tanzanite, azurite, entities }) {
  const model = tanzanite ?? azurite;
  if (!model) throw new Error('the ceiling repeats tanzanite or azurite: start one of them beside it');
  const sampleOf = async ({ port }, render) =>
    askOnce({ port, request: render({ port, entities, pick: () => 0 })(), answerTimeoutMs: scanTimeoutMs });
  const range = await sampleOf(model, rangeQueries);
  const page = await sampleOf(model, pageQueries);
  checkCount([range], rangeEntities);
  checkCount([page], pageEntities);
  const ceiling = await startCeiling({ entities, range, page });
  for (const [render, { body }] of [
    [rangeQueries, range],
    [pageQueries, page],
  ]) {
    const repeated = await sampleOf(ceiling, render);
    if (Math.abs(repeated.body.length / body.length - 1) > ceilingBytesShare)
      throw new Error(`the ceiling sends ${repeated.body.length} B, ${model.name} ${body.length} B`);
  }
  return ceiling;
}

// One sample, before anything is measured: each server gives as many entities as the bench expects, Tanzanite and Azurite
// the same ones with the same properties, the ceiling the same keys. `render` is one of query-requests.mjs.
export async function checkSameAnswers({ servers, entities, render, count, isFollowed }) {
  const pick = (limit) => Math.floor(limit * 0.6);
  const answers = [];
  for (const server of Object.values(servers)) {
    const { port, name } = server;
    const found = await askAll({ port, request: render({ port, entities, pick })(), isFollowed });
    if (found.length !== count) throw new Error(`${name} gave ${found.length} entities instead of ${count}`);
    answers.push({ server, found });
  }
  const [first, ...others] = answers;
  for (const { server, found } of others) {
    const view = servers.ceiling === server || servers.ceiling === first.server ? keysOf : sentOf;
    deepStrictEqual(
      found.map(view),
      first.found.map(view),
      `${server.name} and ${first.server.name} answer differently`,
    );
  }
}

// pages: the answers that together answer one query.
export function checkCount(pages, count) {
  const entities = pages.flatMap(readEntities);
  if (entities.length !== count) throw new Error(`expected ${count} entities, received ${entities.length}`);
}

// Whether every change of a batch was accepted.
export function isWholeBatch({ status, body }) {
  return status === 202 && body.match(/^HTTP\/1\.1 204/gm)?.length === batchEntities;
}

function readEntities({ status, body }) {
  if (status !== 200) throw new Error(`expected 200, received: ${status} ${body.slice(0, 300)}`);
  return JSON.parse(body).value;
}

async function askAll({ port, request, isFollowed }) {
  const found = [];
  for (let asked = request; asked; ) {
    const answer = await askOnce({ port, request: asked, answerTimeoutMs: scanTimeoutMs });
    found.push(...readEntities(answer));
    const head = answer.headers.map(([name, value]) => `\r\n${name}: ${value}`).join('');
    asked = isFollowed ? followPages({ request: asked, head }) : undefined;
  }
  return found;
}

function keysOf({ PartitionKey, RowKey }) {
  return { PartitionKey, RowKey };
}

// What the bench sent of an entity: all but what each server adds by itself.
function sentOf({ 'odata.etag': _etag, Timestamp: _timestamp, ...sent }) {
  return sent;
}
