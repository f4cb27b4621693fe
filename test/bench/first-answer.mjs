// Measures how long a server with an empty location takes from its start as a process to its first HTTP answer.
// Compares Tanzanite with Azurite, and with a Node process that does nothing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { askOnce } from './client.mjs';
import { tableList } from './requests.mjs';
import { hasAzurite, startAzurite, startTanzanite } from './servers.mjs';
import { quartiles } from './statistics.mjs';

const azuriteEvery = 3;

// For each server, the quartiles in milliseconds.
export async function measureFirstAnswers({ starts }) {
  const times = { Tanzanite: [], 'bare Node': [], Azurite: [] };
  for (let at = 0; at < starts; at++) {
    times.Tanzanite.push(await timeFirstAnswer(startTanzanite));
    times['bare Node'].push(await timeBareNode());
    if (hasAzurite() && at % azuriteEvery === 0) times.Azurite.push(await timeFirstAnswer(startAzurite));
  }
  const measured = Object.entries(times).filter(([, list]) => list.length > 0);
  return Object.fromEntries(measured.map(([name, list]) => [name, quartiles(list)]));
}

export async function timeFirstAnswer(startServer) {
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
