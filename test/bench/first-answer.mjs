// From spawn to the first HTTP answer over an empty location, next to Azurite and to a Node process that does nothing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { readFlags } from './flags.mjs';
import { askOnce } from './load.mjs';
import { tableList } from './requests.mjs';
import { median } from './rounds.mjs';
import { startAzurite, startTanzanite } from './servers.mjs';

const azuriteEvery = 3;

export async function measureFirstAnswers({ starts }) {
  const times = { Tanzanite: [], Azurite: [], 'bare Node': [] };
  for (let at = 0; at < starts; at++) {
    times.Tanzanite.push(await timeFirstAnswer(startTanzanite));
    times['bare Node'].push(await timeBareNode());
    if (at % azuriteEvery === 0) times.Azurite.push(await timeFirstAnswer(startAzurite));
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, Math.round(median(list))]));
}

export function printFirstAnswers({ starts, result }) {
  const text = Object.entries(result).map(([name, ms]) => `${name} ${ms} ms`);
  console.log(
    `\nspawn to first answer, median of ${starts} starts (Azurite: ${Math.ceil(starts / azuriteEvery)})\n  ${text.join(', ')}`,
  );
}

async function timeFirstAnswer(startServer) {
  const began = performance.now();
  const server = await startServer();
  const { status } = await askOnce({ port: server.port, request: tableList(server) });
  const elapsedMs = performance.now() - began;
  await server.stop();
  if (status !== 200) throw new Error(`${server.name} answered ${status} to its first request`);
  return elapsedMs;
}

async function timeBareNode() {
  const began = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return performance.now() - began;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { starts } = readFlags();
  printFirstAnswers({ starts, result: await measureFirstAnswers({ starts }) });
}
