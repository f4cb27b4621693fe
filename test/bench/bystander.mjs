// What a point read suffers while others scan: paced reads alone, beside clients that scan the table without a match, and
// beside these and a writer. Tanzanite only. Scans that hold a snapshot show in the size of the -wal file.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { readFlags } from './flags.mjs';
import { askOnce, drive, pace } from './load.mjs';
import { filter, followPages, queries } from './query-requests.mjs';
import { checkCount } from './query-servers.mjs';
import { createTable, pointReads } from './requests.mjs';
import { rateText } from './rounds.mjs';
import { startTanzanite } from './servers.mjs';
import { smallEntity, smallInserts, smallReplacements } from './small-requests.mjs';

const table = 'bystanders';
const scanners = 4;
const readConnections = 8;
const readsPerSecond = 1_000;
const writesPerSecond = 100;
const sampleEveryMs = 50;
const loadTimeoutMs = 20 * 60_000;
const answerTimeoutMs = 5 * 60_000;
const kib = 1_024;
const mib = kib * kib;

export async function measureBystanders({ bystanderEntities: entities, phaseMs }) {
  const server = await startTanzanite();
  await load({ server, entities });
  const shared = { server, entities, phaseMs };
  const warm = await measurePhase({ ...shared, phaseMs: Math.min(phaseMs, 2_000) });
  if (warm.reads.answered === 0) throw new Error('no point read was answered');
  const phases = {
    alone: await measurePhase(shared),
    'beside scans': await measurePhase({ ...shared, isScanned: true }),
    'beside scans and writes': await measurePhase({ ...shared, isScanned: true, isWritten: true }),
  };
  await server.stop();
  return phases;
}

export function printBystanders({ entities, result }) {
  console.log(
    `\npoint reads beside scans, ${entities.toLocaleString('en-US')} entities, ${readsPerSecond} reads/s over ${readConnections} connections, ${scanners} scanners`,
  );
  for (const [name, { reads, scans, writes, peaks }] of Object.entries(result)) {
    const { p50, p99 } = reads.latencyMs;
    const ratio = (quantile) => (reads.latencyMs[quantile] / result.alone.reads.latencyMs[quantile]).toFixed(1);
    const beside = [
      scans && `${rateText(scans.ratePerSecond)} scans/s, p50 ${scans.latencyMs.p50.toFixed(1)} ms`,
      writes && `${rateText(writes.ratePerSecond)} writes/s, p99 ${writes.latencyMs.p99.toFixed(1)} ms`,
    ].filter(Boolean);
    console.log(
      `  ${name.padEnd(24)} p50 ${p50.toFixed(2)} ms (${ratio('p50')} times alone), p99 ${p99.toFixed(2)} ms (${ratio('p99')}), ${rateText(reads.ratePerSecond)} reads/s`,
    );
    if (beside.length > 0) console.log(`${' '.repeat(27)}${beside.join('; ')}`);
    console.log(
      `${' '.repeat(27)}-wal ${mibText(peaks.walBytes)}, resident ${mibText(peaks.residentBytes)}, peak since the start ${mibText(peaks.residentBytesMax)}; the load generator was busy ${Math.round(reads.busy * 100)} %`,
    );
  }
}

async function load({ server: { port }, entities }) {
  await askOnce({ port, request: createTable({ port, table }) });
  const began = performance.now();
  const { answered } = await drive({
    port,
    next: smallInserts({ port, table }),
    status: 204,
    connections: 32,
    requestsMax: entities,
    durationMs: loadTimeoutMs,
  });
  if (answered !== entities) throw new Error(`only ${answered} of ${entities} entities were loaded in time`);
  const bytes = Buffer.byteLength(smallEntity(0));
  console.log(
    `\nbystander: ${entities.toLocaleString('en-US')} entities of ${bytes} B loaded in ${((performance.now() - began) / 1000).toFixed(1)} s`,
  );
}

async function measurePhase({ server, entities, phaseMs, isScanned = false, isWritten = false }) {
  const { port } = server;
  const watch = watchServer(server);
  const scanning = isScanned && scan({ port, durationMs: phaseMs });
  const writing =
    isWritten &&
    pace({
      port,
      next: smallReplacements({ port, table, entities }),
      status: 204,
      ratePerSecond: writesPerSecond,
      durationMs: phaseMs,
      answerTimeoutMs,
    });
  const reading = pace({
    port,
    next: pointReads({ port, table, entities }),
    status: 200,
    ratePerSecond: readsPerSecond,
    connections: readConnections,
    durationMs: phaseMs,
    answerTimeoutMs,
  });
  const [reads, scans, writes] = await Promise.all([reading, scanning, writing]);
  return { reads, scans, writes, peaks: watch.stop() };
}

async function scan({ port, durationMs }) {
  const request = queries({ port, table })(filter('Number eq -1'));
  const driven = await drive({
    port,
    next: () => request,
    follow: followPages,
    status: 200,
    connections: scanners,
    durationMs,
    answerTimeoutMs,
  });
  for (const pages of driven.kept) checkCount(pages, 0);
  return driven;
}

function watchServer({ pid, location }) {
  const peaks = { walBytes: 0, residentBytes: undefined, residentBytesMax: undefined };
  const sample = () => {
    const { residentBytes, residentBytesMax } = readMemory(pid);
    peaks.walBytes = Math.max(peaks.walBytes, readWalBytes(location));
    if (residentBytes === undefined) return;
    peaks.residentBytes = Math.max(peaks.residentBytes ?? 0, residentBytes);
    peaks.residentBytesMax = residentBytesMax;
  };
  sample();
  const sampling = setInterval(sample, sampleEveryMs);
  return {
    stop: () => {
      clearInterval(sampling);
      sample();
      return peaks;
    },
  };
}

// Linux only; elsewhere the report shows a dash.
function readMemory(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const bytesOf = (name) => Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(status)[1]) * kib;
    return { residentBytes: bytesOf('VmRSS'), residentBytesMax: bytesOf('VmHWM') };
  } catch {
    return {};
  }
}

function readWalBytes(location) {
  const names = readdirSync(location, { recursive: true }).filter((name) => name.endsWith('-wal'));
  const sizes = names.map((name) => statSync(join(location, name), { throwIfNoEntry: false })?.size ?? 0);
  return Math.max(0, ...sizes);
}

function mibText(bytes) {
  return bytes === undefined ? '–' : `${(bytes / mib).toFixed(0)} MiB`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const flags = readFlags();
  printBystanders({ entities: flags.bystanderEntities, result: await measureBystanders(flags) });
}
