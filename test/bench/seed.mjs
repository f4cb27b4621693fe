// Loads the same entities in two ways, in interleaved pairs. One way is `tanzanite seed`. The other way is a client
// that inserts the entities through $batch, a hundred per transaction, and waits for each answer. Prints the ratios of
// elapsed time, and of the processor time that the client and the server use together. The client is
// @azure/data-tables or, with --client raw, a program that only signs and sends. Run this after npm run build:
//   node test/bench/seed.mjs [--entities 200000] [--pairs 3] [--client raw]
// With --bytes 1000000000, this script prints the peak memory of `tanzanite seed` and of the server for a file of that
// size.
import { spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { AzureNamedKeyCredential, TableClient } from '@azure/data-tables';
import { developmentKey } from '../support/sign.mjs';
import { loadBatch } from './batches.mjs';
import { askAll, askOnce } from './client.mjs';
import { batchEntities, entityText } from './entities.mjs';
import { readProcessorTime, settle } from './processor-time.mjs';
import { createTable } from './requests.mjs';
import { projectFolder, startTanzanite } from './servers.mjs';
import { account } from './sign.mjs';
import { quartiles } from './statistics.mjs';

const { values: flags } = parseArgs({
  options: {
    entities: { type: 'string', default: '200000' },
    pairs: { type: 'string', default: '3' },
    client: { type: 'string', default: 'sdk' },
    bytes: { type: 'string' },
  },
});
const entities = Number(flags.entities);
const folder = mkdtempSync(join(tmpdir(), 'seed-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const table = 'Loaded';

if (flags.bytes) await measurePeaks(Number(flags.bytes));
else await measurePairs(Number(flags.pairs));

async function measurePairs(pairs) {
  const file = await writeFile((at) => at < entities);
  const ratios = { clock: [], processor: [] };
  for (let pair = 0; pair < pairs; pair++) {
    const [batch, seed] = [await timeBatches(), await timeSeed(file)];
    for (const kind of Object.keys(ratios)) ratios[kind].push(batch[kind] / seed[kind]);
    console.log(`${entities} entities: $batch ${text(batch)}, seed ${text(seed)}`);
  }
  for (const [kind, list] of Object.entries(ratios)) console.log(`$batch / seed, ${kind}:`, quartiles(list));
}

function text({ clock, processor }) {
  return `${Math.round(clock)} ms (processor ${Math.round(processor)} ms)`;
}

async function measurePeaks(bytes) {
  const file = await writeFile((_, written) => written < bytes);
  const server = await startTanzanite();
  const child = runSeed(file, server.port);
  let clientBytes = 0;
  const timer = setInterval(() => (clientBytes = Math.max(clientBytes, peakOf(child.pid))), 100);
  await endOf(child);
  clearInterval(timer);
  console.log({ clientMiB: Math.round(clientBytes / 2 ** 20), serverMiB: Math.round(peakOf(server.pid) / 2 ** 20) });
  await server.stop();
}

// Linux only: the highest number of bytes of memory that were resident so far.
function peakOf(pid) {
  try {
    return Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1_024;
  } catch {
    return 0;
  }
}

async function writeFile(goesOn) {
  const file = join(folder, `${table}.ndjson`);
  const stream = createWriteStream(file);
  let written = 0;
  for (let at = 0; goesOn(at, written); at++) {
    const line = `${entityText(at)}\n`;
    written += line.length;
    if (!stream.write(line)) await new Promise((resolve) => stream.once('drain', resolve));
  }
  stream.end();
  await finished(stream);
  return file;
}

function totalMs({ userMs, systemMs }) {
  return userMs + systemMs;
}

async function timeBatches() {
  const server = await startTanzanite();
  const { port, pid } = server;
  await askOnce({ port, request: createTable({ port, table }) });
  const [own, others, began] = [process.cpuUsage(), totalMs(readProcessorTime(pid)), performance.now()];
  await (flags.client === 'raw' ? sendRaw(port) : sendBySdk(port));
  const clock = performance.now() - began;
  await settle(pid);
  const { user, system } = process.cpuUsage(own);
  const processor = (user + system) / 1_000 + totalMs(readProcessorTime(pid)) - others;
  await server.stop();
  return { clock, processor };
}

async function sendRaw(port) {
  let start = 0;
  const next = () => {
    if (start >= entities) return undefined;
    const request = loadBatch({ port, table, start, textOf: (at) => entityText(at) });
    start += batchEntities;
    return request;
  };
  const check = ({ status }) => {
    if (status !== 202) throw new Error(`a transaction was answered ${status}`);
  };
  await askAll({ port, next, check, connections: 1 });
}

async function sendBySdk(port) {
  const credential = new AzureNamedKeyCredential(account, developmentKey);
  const options = { allowInsecureConnection: true };
  const client = new TableClient(`http://127.0.0.1:${port}/${account}`, table, credential, options);
  for (let start = 0; start < entities; start += batchEntities) {
    const actions = Array.from({ length: batchEntities }, (_, at) => ['create', sdkEntity(start + at)]);
    await client.submitTransaction(actions);
  }
}

function sdkEntity(at) {
  const { PartitionKey, RowKey, Stamp, 'Stamp@odata.type': type, ...rest } = JSON.parse(entityText(at));
  return { partitionKey: PartitionKey, rowKey: RowKey, ...rest, Stamp: { value: Stamp, type: type.slice(4) } };
}

async function timeSeed(file) {
  const server = await startTanzanite();
  const before = totalMs(readProcessorTime(server.pid));
  const began = performance.now();
  const child = runSeed(file, server.port);
  let client = 0;
  const timer = setInterval(
    () => (client = totalMs(readProcessorTime(child.pid) ?? { userMs: client, systemMs: 0 })),
    10,
  );
  await endOf(child);
  const clock = performance.now() - began;
  clearInterval(timer);
  await settle(server.pid);
  const processor = client + totalMs(readProcessorTime(server.pid)) - before;
  await server.stop();
  return { clock, processor };
}

function runSeed(file, port) {
  const args = [join(projectFolder, 'dist/cli.js'), 'seed', file, '--json', '--url', `http://127.0.0.1:${port}`];
  return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

function endOf(child) {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`seed ended with ${code}`))));
  });
}
