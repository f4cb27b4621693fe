// What counting capacity costs: point reads of random existing entities with `--throttle observe`, next to `off`. It goes
// by processor time, which other work on the machine disturbs less, and prints what the clock says beside it.
import { readFileSync } from 'node:fs';
import { readFlags } from './flags.mjs';
import { askOnce, drive } from './load.mjs';
import { createTable, inserts, pointReads } from './requests.mjs';
import { startTanzanite } from './servers.mjs';

const table = 'reads';
const { entities, rounds, sliceMs, connections } = readFlags();
const pairs = Math.max(rounds, 12);

const observing = await startTanzanite({ name: 'observe', flags: ['--throttle', 'observe'] });
const blind = await startTanzanite({ name: 'off', flags: ['--throttle', 'off'] });
for (const { port } of [observing, blind]) {
  await askOnce({ port, request: createTable({ port, table }) });
  await drive({ port, next: inserts({ port, table }), status: 204, requestsMax: entities });
}

const cpu = [];
const rate = [];
for (let pair = -1; pair < pairs; pair++) {
  const inTurn = pair % 2 === 0 ? [observing, blind] : [blind, observing];
  const figures = new Map();
  for (const server of inTurn) figures.set(server, await measure(server));
  if (pair < 0) continue;
  cpu.push(figures.get(observing).cpuMs / figures.get(blind).cpuMs);
  rate.push(figures.get(observing).ratePerSecond / figures.get(blind).ratePerSecond);
}
await Promise.all([observing, blind].map((server) => server.stop()));

console.log(`point reads with observe next to off, ${entities} entities, median of ${pairs} pairs (lowest to highest)`);
console.log(`  processor time a request  ${describe(cpu)}`);
console.log(`  requests a second         ${describe(rate)}`);

async function measure({ port, pid }) {
  const before = cpuMsOf(pid);
  const driven = await drive({
    port,
    connections,
    next: pointReads({ port, table, entities }),
    status: 200,
    warmUpMs: 0,
    durationMs: sliceMs,
  });
  return { cpuMs: (cpuMsOf(pid) - before) / driven.answered, ratePerSecond: driven.ratePerSecond };
}

/** Of a process so far; Linux only. */
function cpuMsOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  const msPerTick = 10;
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
}

function describe(ratios) {
  const sorted = ratios.toSorted((a, b) => a - b);
  const percent = (ratio) => `${(ratio * 100).toFixed(1)} %`;
  const middle = (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.ceil((sorted.length - 1) / 2)]) / 2;
  return `${percent(middle)} (${percent(sorted[0])} to ${percent(sorted.at(-1))})`;
}
