// Measures what the advisor itself costs, without a server: processor time per request, and memory, for a million
// requests to 100,000 partitions. Of all benches, this one is disturbed least by other work on the machine.
//   node --expose-gc test/bench/advisor-alone.mjs [--requests 1000000] [--rate 10000]

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';

const { values: flags } = parseArgs({
  options: { requests: { type: 'string', default: '1000000' }, rate: { type: 'string', default: '10000' } },
});
const requests = Number(flags.requests);
const msPerRequest = 1_000 / Number(flags.rate);
const partitions = 100_000;
const connections = 16;
const requestsPerTurn = 16;
const bytesPerMib = 1_048_576;
const root = fileURLToPath(new URL('../..', import.meta.url));
const modules = ['advisor/advisor', 'model/request-record', 'model/time', 'query/plan'];

const { Advisor, newRequestRecord, systemModelTime, planQuery } = await load();
const format = { kind: 'json', level: 'minimal' };
const text = `"Name":"a name of some length","Number":1,"Note":"${'x'.repeat(200)}"`;
const properties = new Map([
  ['Name', { type: 'Edm.String', value: 'a name of some length' }],
  ['Number', { type: 'Edm.Int32', value: 1 }],
  ['Note', { type: 'Edm.String', value: 'x'.repeat(200) }],
]);
const loads = {
  'point reads': [read],
  'ranges of one': [range],
  writes: [put],
  'a mixture': [put, read, read, range, read, merge, read, range, read, read],
};
for (const [title, all] of Object.entries(loads)) await measure(title, all);

async function measure(title, all) {
  // The request records themselves cost time and memory too, so this run has no advisor.
  const bare = await feed(all, () => undefined);
  const advisor = new Advisor({
    settings: {},
    targets: { account: 20_000, partition: 2_000 },
    clock: systemModelTime,
    time: systemModelTime,
    storedBytes: async () => null,
  });
  const advised = await feed(all, (record) => advisor.note(record));
  const us = ((advised.us - bare.us) / requests).toFixed(2);
  const mib = ((advised.bytes - bare.bytes) / bytesPerMib).toFixed(1);
  const { findings } = await advisor.report();
  console.log(
    `${title}: ${us} µs a request, ${mib} MiB; findings: ${findings.map(({ rule }) => rule).join(', ') || 'none'}`,
  );
}

async function feed(all, note) {
  globalThis.gc();
  const from = process.memoryUsage().heapUsed + process.memoryUsage().external;
  const before = process.cpuUsage();
  for (let at = 0; at < requests; at++) {
    note(recordOf(all, at));
    if (at % requestsPerTurn === 0) await turn();
  }
  const { user, system } = process.cpuUsage(before);
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return { us: user + system, bytes: heapUsed + external - from };
}

function recordOf(all, at) {
  const kind = all[Math.floor(at / partitions) % all.length];
  const pk = `p${String((at * 7_919) % partitions).padStart(6, '0')}`;
  const record = newRequestRecord({
    requestId: 'r',
    clientRequestId: undefined,
    trace: undefined,
    isSecure: false,
    method: 'GET',
    url: `/devstoreaccount1/partitions(PartitionKey='${pk}',RowKey='row')`,
    remoteAddress: '127.0.0.1',
    userAgent: 'bench',
    connection: 1 + (at % connections),
    connectionsOpen: 1,
    expectsContinue: false,
    startedAtMs: Date.UTC(2024, 0, 1) + at * msPerRequest,
    startedMs: at * msPerRequest,
    headers: {},
  });
  Object.assign(record, { durationMs: 0.5, credential: 'key', account: 'devstoreaccount1', table: 'partitions' });
  record.format = format;
  record.version = '2019-02-02';
  kind(record, pk);
  return record;
}

function read(record, pk) {
  const entity = { partitionKey: pk, rowKey: 'row', properties: text };
  Object.assign(record, { operation: 'GetEntity', partitionKey: pk, rowKey: 'row', status: 200, bytesOut: 500 });
  record.entities = [entity];
}

function range(record, pk) {
  const filter = `PartitionKey eq '${pk}' and RowKey ge 'a'`;
  const entity = { partitionKey: pk, rowKey: 'row', properties: text };
  Object.assign(record, { operation: 'QueryEntities', filter, status: 200, bytesOut: 500, visited: 1, returned: 1 });
  record.plan = planQuery({
    kind: 'and',
    terms: [comparison('PartitionKey', 'eq', pk), comparison('RowKey', 'ge', 'a')],
  });
  record.entities = [entity];
}

function put(record, pk) {
  const mutation = { kind: 'insertOrReplace', partitionKey: pk, rowKey: 'row', properties };
  Object.assign(record, {
    operation: 'InsertOrReplaceEntity',
    partitionKey: pk,
    rowKey: 'row',
    status: 204,
    bytesIn: 260,
  });
  record.mutation = mutation;
}

function merge(record, pk) {
  put(record, pk);
  record.operation = 'InsertOrMergeEntity';
  record.mutation = { ...record.mutation, kind: 'insertOrMerge' };
}

function comparison(property, operator, value) {
  return { kind: 'comparison', property, operator, value: { type: 'Edm.String', value } };
}

/** Bundles the modules into one JavaScript module, because Node 20 cannot load TypeScript. */
async function load() {
  const folder = mkdtempSync(join(tmpdir(), 'tanzanite-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const entry = 'advisor';
  const plugin = {
    name: entry,
    resolveId: (id) => (id === entry ? id : null),
    load: (id) => (id === entry ? modules.map((name) => `export * from '${root}src/${name}.ts';`).join('\n') : null),
  };
  const build = await rolldown({ cwd: root, input: entry, plugins: [plugin], platform: 'node' });
  await build.write({ format: 'esm', dir: folder, entryFileNames: 'advisor.mjs', chunkFileNames: '[name].mjs' });
  await build.close();
  return import(pathToFileURL(join(folder, 'advisor.mjs')));
}
