// Compares the resident memory with and without the advisor (`--no-advisor`), after a million requests to 100,000
// partitions. Each partition gets an upsert, a merge, two range queries and six point reads. The goal is a difference
// of at most 32 MiB.
//   node test/bench/advisor-memory.mjs [--partitions 100000]
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { askAll, askOnce } from './client.mjs';
import { readResidentBytes, settle } from './processor-time.mjs';
import { createTable, query } from './requests.mjs';
import { startTanzanite } from './servers.mjs';
import { account, requestHead } from './sign.mjs';

const { values: flags } = parseArgs({ options: { partitions: { type: 'string', default: '100000' } } });
const partitions = Number(flags.partitions);
const table = 'partitions';
const connections = 16;
/** Time for the rules to judge the requests, and for memory to be released. */
const restMs = 15_000;
const bytesPerMib = 1_048_576;

const servers = [
  await startTanzanite({ name: 'without the advisor', flags: ['--no-advisor'] }),
  await startTanzanite({ name: 'with it' }),
];
const [without, withIt] = await Promise.all(servers.map(measure));
await Promise.all(servers.map((server) => server.stop()));
console.log(`resident after ${(partitions * kinds().length).toLocaleString('en-US')} requests, MiB`);
console.log(
  `  ${without.toFixed(1)} without the advisor, ${withIt.toFixed(1)} with it: ${(withIt - without).toFixed(1)} more`,
);

async function measure({ name, port, pid }) {
  await askOnce({ port, request: createTable({ port, table }) });
  const all = kinds();
  let sent = 0;
  // Each kind of request goes through the partitions in the same order, so that every read finds its entity.
  const next = () => {
    if (sent === partitions * all.length) return undefined;
    const at = scattered(sent % partitions);
    return all[Math.floor(sent++ / partitions)](port, `p${String(at).padStart(6, '0')}`);
  };
  const check = ({ status, body }) => {
    if (status > 299) throw new Error(`${name} refused a request: ${status} ${body.slice(0, 300)}`);
  };
  await askAll({ port, next, check, connections });
  await sleep(restMs);
  await settle(pid);
  return readResidentBytes(pid) / bytesPerMib;
}

function kinds() {
  return [put, read, read, range, read, merge, read, range, read, read];
}

// Returns each number below the number of partitions once, scattered: 7919 is prime.
function scattered(at) {
  return (at * 7_919) % partitions;
}

function put(port, pk) {
  return write({ port, pk, method: 'PUT', properties: { Name: `name of ${pk}`, Number: 1, Note: 'x'.repeat(200) } });
}

function merge(port, pk) {
  return write({ port, pk, method: 'MERGE', properties: { Number: 2 } });
}

function read(port, pk) {
  return requestHead({ method: 'GET', path: pathOf(pk), port });
}

function range(port, pk) {
  return query({ port, table, filter: `PartitionKey eq '${pk}' and RowKey ge 'a'` });
}

function write({ port, pk, method, properties }) {
  const body = JSON.stringify(properties);
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  return requestHead({ method, path: pathOf(pk), port, headers }) + body;
}

function pathOf(pk) {
  return `/${account}/${table}(PartitionKey='${pk}',RowKey='row')`;
}
