// Measures one slice: the requests of one row, sent to one server for a few seconds.
import { askOnce } from './client.mjs';
import { prepareRequests, run } from './load.mjs';
import { readProcessorTime, settle } from './processor-time.mjs';
import { createTable } from './requests.mjs';
import { checkOf } from './rows.mjs';
import { accountSas, bearerToken } from './sign.mjs';

export const loadedTable = 'queries';
const bytesShareMax = 0.02;
const usPerMs = 1_000;
let slices = 0;

// Resolves with { ratePerSecond, userUs, systemUs }. userUs and systemUs are the processor time per request. They are
// missing if the system does not report processor time. With hasOwnTable, the requests use a new table.
export async function measureSlice({ generator, server, row, entities, seconds, hasOwnTable }) {
  const serial = ++slices;
  const { port, pid, isSecure } = server;
  const table = hasOwnTable ? await createOwnTable({ server, serial }) : loadedTable;
  const requests = prepareRequests(renderRequests({ row, port, table, entities }));
  await settle(pid);
  const before = readProcessorTime(pid);
  const driven = await run({
    generator,
    port,
    isSecure,
    file: requests.file,
    // Each slice has its own numbers, far from those of other slices.
    serialFrom: serial * 100_000_000,
    check: checkOf(row),
    connections: row.connections,
    seconds,
  });
  const after = readProcessorTime(pid);
  requests.remove();
  checkBytes({ driven, server, row });
  return { ratePerSecond: driven.ratePerSecond, ...processorTime({ before, after, driven }) };
}

export function renderRequests({ row, port, table, entities, pick = randomBelow, count = row.variants }) {
  const sas = row.usesSas ? accountSas() : undefined;
  const token = row.usesToken ? bearerToken() : undefined;
  return Array.from({ length: count }, () => row.render({ port, table, entities, pick, sas, token }));
}

async function createOwnTable({ server: { name, port }, serial }) {
  const table = `own${serial}`;
  // The ceiling makes a table itself for each new path.
  if (name !== 'ceiling') await askOnce({ port, request: createTable({ port, table }) });
  return table;
}

// Returns the processor time per request. The number of requests is the rate multiplied by the duration. If the rate
// was measured from the first request to the last answer (load.mjs), this number includes a fraction for requests that
// were in progress at the end of the slice.
function processorTime({ before, after, driven: { ratePerSecond, seconds } }) {
  if (!before || !after) return {};
  const each = (name) => ((after[name] - before[name]) * usPerMs) / (ratePerSecond * seconds);
  return { userUs: each('userMs'), systemUs: each('systemMs') };
}

// Compares the mean length of the answers with the length of the checked sample, because the generator checks only the
// status of each answer, and not the entities. At the end of the slice, each connection may have received part of an
// answer. These bytes are counted too.
function checkBytes({ driven: { bytesEach, answered }, server, row }) {
  const expected = server.bytesOf?.get(row.name);
  if (expected === undefined || (row.isSlow && !row.isPart)) return;
  const shareMax = bytesShareMax + row.connections / answered;
  if (Math.abs(bytesEach / expected - 1) > shareMax)
    throw new Error(`${server.name}, ${row.name}: answers have ${bytesEach} B instead of ${expected} B`);
}

function randomBelow(limit) {
  return Math.floor(Math.random() * limit);
}
