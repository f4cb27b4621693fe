// Runs mixed load on one server for a while. The amounts of memory, files and other resources that the server uses must
// not grow. To run it by hand, use npm run endurance.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readResidentBytes } from '../bench/processor-time.mjs';
import { JsonClient } from '../support/json-client.mjs';
import { ServerProcess } from '../support/server-process.mjs';
import { Fleet } from './fleet.mjs';

const samplesMax = 240;
const account = 'devstoreaccount1';
const mib = 1_048_576;

/** The maximum of each value, and by how much its maximum in the last third may exceed that in the second third. */
const bounds = {
  memoryBytes: { max: 600 * mib, growth: 64 * mib },
  handles: { max: 200, growth: 16 },
  fileBytes: { max: 512 * mib, growth: 64 * mib },
  walBytes: { max: 256 * mib, growth: 128 * mib },
};

/**
 * Runs the load, and calls `report` with each sample. Returns the samples, the counts of the work, and the faults. A
 * fault is a wrong response, a wrong entity, or an exceeded bound. This works only on Linux, because it reads /proc.
 */
export async function endure({ seconds, seed, report = () => {} }) {
  const location = mkdtempSync(join(tmpdir(), 'tanzanite-endurance-'));
  const server = new ServerProcess(['start', '--tablePort', '0', '--silent', '--location', location]);
  const url = await server.ready();
  const fleet = new Fleet({ seed });
  const { stop } = await fleet.start(url);
  const others = startOthers(url);
  const samples = [];
  const everyMs = (seconds * 1_000) / Math.min(samplesMax, Math.max(20, seconds / 5));
  for (const startMs = performance.now(); performance.now() - startMs < seconds * 1_000; ) {
    await sleep(everyMs);
    const at = (performance.now() - startMs) / 1_000;
    samples.push({ at, ...(await measure({ url, pid: server.pid, location })) });
    report(samples.at(-1));
  }
  const counts = await others.stop();
  await stop();
  await fleet.verify(url);
  const { code, signal } = await server.end('SIGTERM');
  const ended = code === 0 ? [] : [`SIGTERM ended the server with ${code ?? signal}`];
  const failures = [...fleet.violations, ...others.failures, ...ended, ...passedBounds(samples)];
  if (failures.length === 0) rmSync(location, { recursive: true, force: true });
  return { samples, failures, counts: { ...counts, writes: fleet.acknowledged }, location };
}

async function measure({ url, pid, location }) {
  const client = new JsonClient(url);
  const times = [];
  for (let read = 0; read < 20; read++) {
    const startMs = performance.now();
    await client.send({ method: 'GET', path: 'Tables' });
    times.push(performance.now() - startMs);
  }
  await client.close();
  const bytesOf = (end) =>
    readdirSync(location)
      .filter((name) => name.endsWith(end))
      .reduce((sum, name) => sum + (statSync(join(location, name), { throwIfNoEntry: false })?.size ?? 0), 0);
  return {
    memoryBytes: readResidentBytes(pid),
    handles: readdirSync(`/proc/${pid}/fd`).length,
    fileBytes: bytesOf('.sqlite'),
    walBytes: bytesOf('-wal'),
    latencyMs: middle(times),
  };
}

/** Uses queries, tables, snapshots, exports and faults, one after the other, while the fleet writes. */
function startOthers(url) {
  const counts = { queries: 0, tables: 0, snapshots: 0, exports: 0, faults: 0 };
  const failures = [];
  const client = new JsonClient(url, 2);
  const control = controlOf(url);
  let isStopped = false;
  const steps = [
    [
      'queries',
      () => expectStatus(client.send({ method: 'GET', path: 'Crash()', query: '?$filter=n%20gt%205&$top=50' }), 200),
    ],
    ['tables', () => useTable(client)],
    ['snapshots', () => useSnapshot(control)],
    ['exports', () => useExport(control)],
    ['faults', () => useFault(client, control)],
  ];
  const run = async () => {
    while (!isStopped) {
      for (const [name, step] of steps) {
        try {
          await step();
          counts[name]++;
        } catch (error) {
          failures.push(`${name}: ${error.message}`);
          isStopped = true;
        }
      }
    }
  };
  const running = run();
  return {
    failures,
    async stop() {
      isStopped = true;
      await running;
      await client.close();
      return counts;
    },
  };
}

const controlOf = (url) => async (method, path, body) => {
  const text =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
  const answer = await fetch(new URL(`/_emulator/${path}`, url), { method, ...text });
  const content = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${content.slice(0, 200)}`);
  return content;
};

async function expectStatus(sent, ...statuses) {
  const { status, text } = await sent;
  if (!statuses.includes(status)) throw new Error(`${status}, not ${statuses.join(' or ')}: ${text.slice(0, 200)}`);
}

let tables = 0;

async function useTable(client) {
  const name = `Passing${tables++}`;
  await client.createTable(name);
  const calls = Array.from({ length: 100 }, (_, at) => ({
    method: 'POST',
    path: name,
    body: { PartitionKey: 'p', RowKey: String(at), text: 'x'.repeat(1_000) },
  }));
  await expectStatus(client.sendTransaction(calls), 202);
  await expectStatus(client.send({ method: 'DELETE', path: `Tables('${name}')` }), 204);
}

async function useSnapshot(control) {
  await control('PUT', 'snapshots/endurance');
  await control('DELETE', 'snapshots/endurance');
}

async function useExport(control) {
  const { export: id } = JSON.parse(await control('POST', 'export', { account }));
  await control('GET', `export/${id}/tables/Crash`);
  await control('DELETE', `export/${id}`);
}

/** Adds faults only for its own table, because the fleet expects correct responses. */
async function useFault(client, control) {
  await client.createTable('Faulty');
  await control('POST', 'faults', {
    match: { table: 'Faulty' },
    times: 1,
    fault: { kind: 'error', code: 'ServerBusy' },
  });
  await expectStatus(client.send({ method: 'GET', path: 'Faulty()' }), 503);
  await control('DELETE', 'faults');
}

/** The first third of the samples is warm-up, and is not compared. */
export function passedBounds(samples) {
  const third = Math.floor(samples.length / 3);
  return Object.entries(bounds).flatMap(([name, { max, growth }]) => {
    const values = samples.map((sample) => sample[name]);
    const before = middle(values.slice(third, 2 * third));
    const last = middle(values.slice(2 * third));
    return [
      ...(Math.max(...values) > max ? [`${name} was ${Math.max(...values)}, more than ${max}`] : []),
      ...(last - before > growth ? [`${name} grew from ${before} to ${last}`] : []),
    ];
  });
}

function middle(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
