// Measures how much scans slow down point reads. Point reads are sent at a constant rate: first without other work,
// then while clients scan the entire table without finding a match. Measures only Tanzanite.
import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { smallEntityText } from './entities.mjs';
import { prepareRequests, run } from './load.mjs';
import { fillTable } from './loaded-servers.mjs';
import { readResidentBytes, settle } from './processor-time.mjs';
import { query } from './requests.mjs';
import { startTanzanite } from './servers.mjs';
import { median, quartiles } from './statistics.mjs';

const readsPerSecond = 1_000;
const scanners = 4;
const table = 'bystanders';
const warmUpSeconds = 2;
const pacerFile = fileURLToPath(new URL('pacer.mjs', import.meta.url));

export async function measureBystanders({ entities, pairs, seconds, generator }) {
  const server = await startTanzanite();
  const loadSeconds = await fillTable({ server, table, entities, textOf: smallEntityText });
  await settle(server.pid);
  const held = { residentBytes: readResidentBytes(server.pid), diskBytes: sizeOf(server.location) };
  const shared = { server, entities, generator };
  await measurePhase({ ...shared, seconds: warmUpSeconds, isScanned: true });
  const measured = [];
  for (let pair = 0; pair < pairs; pair++) {
    const alone = await measurePhase({ ...shared, seconds });
    const beside = await measurePhase({ ...shared, seconds, isScanned: true });
    measured.push({ alone, beside });
  }
  await server.stop();
  return { entities, readsPerSecond, scanners, loadSeconds, ...held, ...summarise({ measured, entities }) };
}

function sizeOf(folder) {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

async function measurePhase({ server, entities, generator, seconds, isScanned = false }) {
  const { port, pid } = server;
  await settle(pid);
  const [reads, scansPerSecond] = await Promise.all([
    pace({ port, entities, seconds }),
    isScanned ? scan({ generator, port, seconds }) : undefined,
  ]);
  return { ...reads, scansPerSecond };
}

async function pace({ port, entities, seconds }) {
  const given = JSON.stringify({ port, table, entities, ratePerSecond: readsPerSecond, seconds });
  const { stdout } = await promisify(execFile)(process.execPath, [pacerFile, given]);
  return JSON.parse(stdout);
}

async function scan({ generator, port, seconds }) {
  const requests = prepareRequests([query({ port, table, filter: 'Number eq -1' })]);
  // The reads start a little later than the scans, because the process that sends the reads must sign them first. The
  // extra second lets the scans continue until after the last read.
  const durationSeconds = seconds + 1;
  const driven = await run({
    generator,
    port,
    file: requests.file,
    check: 'time',
    connections: scanners,
    seconds: durationSeconds,
  });
  requests.remove();
  return driven.ratePerSecond;
}

function summarise({ measured, entities }) {
  const middle = (side, name) => median(measured.map((pair) => pair[side][name]));
  const scansPerSecond = middle('beside', 'scansPerSecond');
  return {
    alone: { p50: middle('alone', 'p50'), p99: middle('alone', 'p99'), lateP99: middle('alone', 'lateP99') },
    beside: { p50: middle('beside', 'p50'), p99: middle('beside', 'p99'), lateP99: middle('beside', 'lateP99') },
    p99TimesAlone: quartiles(measured.map(({ alone, beside }) => beside.p99 / alone.p99)),
    scansPerSecond,
    scannedPerSecond: scansPerSecond * entities,
  };
}
